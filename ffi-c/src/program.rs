//! Programs: arithmetic circuits, built from symbols, executed position by position.
//!
//! Symbols belong to the thread that made them until it generates a program: that frees them all, as ICICLE's clients
//! expect, who never free one. `icicle_release_symbols` frees them without a program.

use crate::error::Code;
use crate::field::by_number;
use crate::guard::{guard, guard_icicle, guard_or};
use crate::handle::Table;
use crate::ptr;
use crate::types::{self, VecOpsConfig};
use icicle::ops::program::{self, Predefined, Program, Symbol};
use icicle::reserve::with_capacity;
use icicle::{Error, Result};
use std::cell::RefCell;
use std::ffi::{c_int, c_void};

/// A symbol or program, opaque.
pub(crate) type Handle = *mut c_void;

static SYMBOLS: Table<Symbol> = Table::new("symbol");
static PROGRAMS: Table<Program> = Table::new("program");

/// The program of a handle.
pub(crate) fn by_handle(op: &'static str, program: Handle) -> Result<std::sync::Arc<Program>> {
    PROGRAMS.get(op, program)
}

thread_local! {
    /// The live symbols this thread made.
    static MADE: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

fn hand_out(symbol: Symbol) -> Handle {
    let handle = SYMBOLS.insert(symbol);
    // While a thread is torn down its symbols stay until the process ends.
    let _ = MADE.try_with(|made| made.borrow_mut().push(handle.addr()));
    handle
}

fn release() {
    for handle in MADE.try_with(RefCell::take).unwrap_or_default() {
        // Only this thread's list names it, so it is there.
        let _ = SYMBOLS.remove("release_symbols", handle as *const c_void);
    }
}

/// Free every symbol this thread made since it last generated a program. It cannot fail.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_release_symbols() {
    guard_or("release_symbols", (), || {
        release();
        Ok(())
    });
}

/// The symbol of a program's `in_idx`-th parameter before execution. The thread owns it. Null on failure:
/// `icicle_last_error` is `INVALID_ARGUMENT` for an unknown field or a negative index.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_create_input_symbol(field: i32, in_idx: c_int) -> Handle {
    let op = "create_input_symbol";
    guard_or(op, std::ptr::null_mut(), || {
        by_number(op, field)?;
        Ok(hand_out(Symbol::input(types::at_least(op, "in_idx", in_idx, 0)?)))
    })
}

/// The symbol of a constant, one canonical element in host memory, copied. The thread owns it. Null on failure:
/// `icicle_last_error` is `INVALID_ARGUMENT` for an unknown field, `INVALID_POINTER` if `constant` is null or
/// misaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_create_scalar_symbol(field: i32, constant: *const c_void) -> Handle {
    let op = "create_scalar_symbol";
    guard_or(op, std::ptr::null_mut(), || {
        let n = by_number(op, field)?.info().bytes();
        ptr::check(op, "constant", constant, ptr::ELEMENT)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let bytes = unsafe { ptr::read_many::<u8>(op, "constant", constant.cast(), n) }?;
        Ok(hand_out(Symbol::constant(&bytes)))
    })
}

/// Another handle of the same symbol. The thread owns it. Null on failure: `icicle_last_error` is `INVALID_ARGUMENT`
/// for an unknown field, `INVALID_POINTER` if `other` is no live symbol.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_copy_symbol(field: i32, other: Handle) -> Handle {
    let op = "copy_symbol";
    guard_or(op, std::ptr::null_mut(), || {
        by_number(op, field)?;
        Ok(hand_out(Symbol::clone(&*SYMBOLS.get(op, other)?)))
    })
}

/// # Safety
/// The crate's contract: `res` is a handle to write.
unsafe fn combine(
    op: &'static str,
    field: i32,
    operands: [Handle; 2],
    res: *mut Handle,
    with: fn(&Symbol, &Symbol) -> Symbol,
) -> Code {
    guard(op, || {
        by_number(op, field)?;
        ptr::check_typed(op, "res", res)?;
        let (a, b) = (SYMBOLS.get(op, operands[0])?, SYMBOLS.get(op, operands[1])?);
        let handle = hand_out(with(&a, &b));
        // SAFETY: `res` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "res", res, handle) }
    })
}

/// `*res` = the symbol of a sum. The thread owns it until it generates a program or calls `icicle_release_symbols`.
///
/// Errors: `INVALID_ARGUMENT` for an unknown field; `INVALID_POINTER` if an operand is no live symbol, or `res` is
/// null or misaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_add_symbols(field: i32, op_a: Handle, op_b: Handle, res: *mut Handle) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { combine("add_symbols", field, [op_a, op_b], res, |a, b| a + b) }
}

/// `*res` = the symbol of a product. The thread owns it.
///
/// Errors: as `icicle_add_symbols`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_multiply_symbols(field: i32, op_a: Handle, op_b: Handle, res: *mut Handle) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { combine("multiply_symbols", field, [op_a, op_b], res, |a, b| a * b) }
}

/// `*res` = the symbol of a difference. The thread owns it.
///
/// Errors: as `icicle_add_symbols`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sub_symbols(field: i32, op_a: Handle, op_b: Handle, res: *mut Handle) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { combine("sub_symbols", field, [op_a, op_b], res, |a, b| a - b) }
}

/// `*output` = the symbol of an inverse, 0 of 0. The thread owns it.
///
/// Errors: as `icicle_add_symbols`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_inverse_symbol(field: i32, input: Handle, output: *mut Handle) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { combine("inverse_symbol", field, [input, input], output, |a, _| a.inverse()) }
}

/// # Safety
/// The crate's contract: as many handles as `n` says to read, one to write.
unsafe fn generate(
    op: &'static str,
    field: i32,
    parameters: *const Handle,
    n: c_int,
    program: *mut Handle,
    build: fn(&[Symbol]) -> Result<Program>,
) -> Code {
    guard(op, || {
        by_number(op, field)?;
        ptr::check_typed(op, "program", program)?;
        let n = types::at_least(op, "nof_parameters", n, 0)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let handles = unsafe { ptr::read_many(op, "parameters_ptr", parameters, n) }?;
        let mut symbols = with_capacity(op, n)?;
        for handle in handles {
            symbols.push(Symbol::clone(&*SYMBOLS.get(op, handle)?));
        }
        let built = build(&symbols)?;
        let handle = PROGRAMS.insert(built);
        release();
        // SAFETY: `program` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "program", program, handle) }
    })
}

/// `*program` = the program whose `i`-th parameter becomes `parameters_ptr[i]`, of `nof_parameters` symbols; frees
/// this thread's symbols, but not if it fails.
///
/// All new values are computed from the old ones. ICICLE's programs, those of `bn254_generate_program` and its like,
/// assign their parameters in place, in order: a symbol that names an input given a new value before reads that one.
/// Free it with `delete_program`.
///
/// Errors: `INVALID_ARGUMENT` for an unknown field, no parameters, or a symbol of an input that is no parameter;
/// `INVALID_POINTER` if a handle is no live symbol, or a pointer is null or misaligned; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_generate_program(
    field: i32,
    parameters_ptr: *const Handle,
    nof_parameters: c_int,
    program: *mut Handle,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { generate("generate_program", field, parameters_ptr, nof_parameters, program, Program::new) }
}

/// As `icicle_generate_program`, the last parameter being a value that is returned.
///
/// Errors: as `icicle_generate_program`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_generate_returning_value_program(
    field: i32,
    parameters_ptr: *const Handle,
    nof_parameters: c_int,
    program: *mut Handle,
) -> Code {
    let op = "generate_returning_value_program";
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { generate(op, field, parameters_ptr, nof_parameters, program, Program::returning) }
}

/// Behind `X_generate_program`: ICICLE's programs assign their parameters in place, in order.
pub(crate) unsafe fn generate_in_order(
    field: i32,
    parameters_ptr: *const Handle,
    nof_parameters: c_int,
    program: *mut Handle,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { generate("generate_program", field, parameters_ptr, nof_parameters, program, Program::in_order) }
}

/// Behind `X_generate_returning_value_program`, likewise.
pub(crate) unsafe fn generate_returning_in_order(
    field: i32,
    parameters_ptr: *const Handle,
    nof_parameters: c_int,
    program: *mut Handle,
) -> Code {
    let op = "generate_returning_value_program";
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { generate(op, field, parameters_ptr, nof_parameters, program, Program::in_order) }
}

fn predefined(op: &'static str, field: i32, number: c_int, make: fn(Predefined) -> Program) -> Handle {
    guard_or(op, std::ptr::null_mut(), || {
        by_number(op, field)?;
        let which = Predefined::from_number(number);
        let which = which.ok_or_else(|| Error::argument(op, format!("pre_def {number}: must be 0 or 1")))?;
        Ok(PROGRAMS.insert(make(which)))
    })
}

/// The program `a·b - c` (0) or `eq·(a·b - c)` (1), its result in the last vector: 4 or 5 parameters. Free it with
/// `delete_program`. Null on failure: `icicle_last_error` is `INVALID_ARGUMENT` for an unknown field or number.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_create_predefined_program(field: i32, pre_def: c_int) -> Handle {
    predefined("create_predefined_program", field, pre_def, Program::predefined)
}

/// As `icicle_create_predefined_program`, returning its value.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_create_predefined_returning_value_program(field: i32, pre_def: c_int) -> Handle {
    predefined("create_predefined_returning_value_program", field, pre_def, Program::returning_predefined)
}

/// Free a program; null is ignored.
///
/// Errors: `INVALID_POINTER` for a handle that is no program.
#[unsafe(no_mangle)]
pub extern "C" fn delete_program(program: Handle) -> Code {
    let op = "delete_program";
    guard_icicle(op, || PROGRAMS.free(op, program))
}

/// Execute a program at each of `size` positions, times `batch_size`: `data_ptr` holds the addresses of `nof_params`
/// vectors, pairwise disjoint; those whose parameters the program changes are overwritten, the others only read.
///
/// `data_ptr` itself is host memory, read during the call. `is_a_on_device` applies to all vectors; the order of the
/// batch does not matter.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says; `INVALID_POINTER` also if `program` is no live program,
/// `INVALID_ARGUMENT` also if `nof_params` is not the program's number of parameters, vectors overlap, or a constant
/// was made for a field of shorter elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_execute_program(
    field: i32,
    data_ptr: *const *mut c_void,
    nof_params: u64,
    program: Handle,
    size: u64,
    config: *const VecOpsConfig,
) -> Code {
    let op = "execute_program";
    guard(op, || {
        let field = by_number(op, field)?;
        let program = PROGRAMS.get(op, program)?;
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let config = unsafe { ptr::read(op, "config", config) }?;
        let core = config.to_core(op)?;
        let (count, n) = (types::size(op, "nof_params", nof_params)?, types::size(op, "size", size)?);
        if count != program.parameters() {
            let detail = format!("nof_params {count}: the program has {} parameters", program.parameters());
            return Err(Error::argument(op, detail));
        }
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let addresses = unsafe { ptr::read_many(op, "data_ptr", data_ptr, count) }?;
        let extent = (ptr::extent(op, "size", &[n, core.batch])?, field.info().bytes());
        let mut vectors = with_capacity(op, count)?;
        for address in addresses {
            // SAFETY: `vector` has room for that many, for this call alone, by the caller's promise.
            vectors.push(unsafe { ptr::dst(op, "vector", address, extent, config.is_a_on_device) }?);
        }
        program::execute(field, &program, &mut vectors, n, &core)
    })
}
