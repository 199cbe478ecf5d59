//! The enumerations of `include/icicle.h`: codes, operations and dtypes, from their tables.

use icicle_array::{BinaryOp, DType, UnaryOp};
use icicle_error::ErrorCode;
use icicle_fhe::dynamic::{FheBinaryOp, FheOverflowOp, FheType, FheUnaryOp};
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

/// All.
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
    let dtypes = DType::ALL.iter().map(|&dtype| {
        (format!("ICICLE_DTYPE_{}", dtype.name().to_uppercase()), dtype as i32, format!("{} bits.", 8 * dtype.bytes()))
    });
    let default = ("ICICLE_DTYPE_DEFAULT".to_owned(), -1, "None in particular: what a function says.".to_owned());
    let dtypes = std::iter::once(default).chain(dtypes);
    let dtypes = declare("icicle_dtype_t", "The type of an array's elements. The names are NumPy's.", dtypes);
    let row = |prefix: &str, name: &str, number, meaning: &str| {
        (format!("ICICLE_{prefix}_{}", name.to_uppercase()), number, meaning.to_owned())
    };
    let unary = UnaryOp::ALL.iter().map(|&op| row("UNARY", op.name(), op as i32, op.meaning()));
    let unary = declare("icicle_unary_op_t", "An operation on each element of one array.", unary);
    let binary = BinaryOp::ALL.iter().map(|&op| row("BINARY", op.name(), op as i32, op.meaning()));
    let binary = declare("icicle_binary_op_t", "An operation on each pair of elements of two arrays.", binary);
    let types = FheType::ALL.iter().map(|&kind| row("FHE", kind.name(), kind as i32, kind.meaning()));
    let types = declare("icicle_fhe_type_t", "What the elements of an encrypted array are.", types);
    let fhe_unary = FheUnaryOp::ALL.iter().map(|&op| row("FHE", op.name(), op as i32, op.meaning()));
    let fhe_unary = declare("icicle_fhe_unary_op_t", "An operation on one encrypted array.", fhe_unary);
    let fhe_binary = FheBinaryOp::ALL.iter().map(|&op| row("FHE", op.name(), op as i32, op.meaning()));
    let meaning = "An operation on each pair of elements of two encrypted arrays.";
    let fhe_binary = declare("icicle_fhe_binary_op_t", meaning, fhe_binary);
    let overflow = FheOverflowOp::ALL.iter().map(|&op| row("FHE", op.name(), op as i32, op.meaning()));
    let meaning = "An operation on each pair of encrypted integers that also tells whether its result fits.";
    let overflow = declare("icicle_fhe_overflow_op_t", meaning, overflow);
    let fhe = format!("{types}\n{fhe_unary}\n{fhe_binary}\n{overflow}");
    format!("\n{codes}\n{operations}\n{dtypes}\n{unary}\n{binary}\n{fhe}")
}
