//! The enumerations of `include/icicle.h`: codes and operations, from their tables.

use icicle_error::ErrorCode;
use icicle_params::Op;
use std::fmt::Write as _;

/// One enumeration of 32 bits, whose name is a type.
fn declare(name: &str, meaning: &str, rows: impl Iterator<Item = (String, i32, String)>) -> String {
    let mut out =
        format!("/**\n * {meaning}\n */\nenum {name}\n#ifdef __cplusplus\n  : int32_t\n#endif // __cplusplus\n {{\n");
    for (name, number, meaning) in rows {
        if !meaning.is_empty() {
            _ = writeln!(out, "  /**\n   * {meaning}\n   */");
        }
        _ = writeln!(out, "  {name} = {number},");
    }
    _ = write!(out, "}};\n#ifndef __cplusplus\ntypedef int32_t {name};\n#endif // __cplusplus\n");
    out
}

/// Both.
pub fn section() -> String {
    let success = ("ICICLE_SUCCESS".to_owned(), 0, "The call did what it says.".to_owned());
    let codes =
        ErrorCode::ALL.iter().map(|&code| (format!("ICICLE_{}", code.icicle_name()), code as i32, code.to_string()));
    let meaning = "What a call ended with. The numbers are ICICLE's.\n *\n \
        * Functions of ICICLE's name return 0 to 11 only: `BACKEND_LOAD_FAILED` becomes `API_NOT_IMPLEMENTED`, \
        `UNKNOWN_ERROR`\n * becomes `INVALID_ARGUMENT`.";
    let codes = declare("icicle_error_t", meaning, std::iter::once(success).chain(codes));
    let operations =
        Op::ALL.iter().map(|&op| (format!("ICICLE_OP_{}", op.name().to_uppercase()), op as i32, String::new()));
    let operations = declare("icicle_op_t", "An operation, for `icicle_supports`.", operations);
    format!("\n{codes}\n{operations}")
}
