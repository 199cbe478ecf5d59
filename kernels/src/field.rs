//! Kernels of vectors of field elements (`vec/`, `program/`), `<field>_<op>` in the image [`crate::image_of`] the field.
//!
//! `mul`, `div`, `inv`, `product`, `matmul`, `polynomial_evaluate`, `program`, `division` take and give canonical data;
//! `add`, `sub`, `sum` work on either form. `encode` multiplies by R, `decode` divides; arrays of points are vectors of
//! coordinates.

use crate::signature::{Address, Entry, kernels};

/// A kernel of two operands.
pub type Binary = Entry<(Address, Address, Address, u64)>;
/// A kernel of one.
pub type Unary = Entry<(Address, Address, u64)>;
/// A scalar and a vector, a row of blocks each.
pub type ScalarRow = Entry<(Address, Address, Address, u64, u64)>;
/// A scalar and a vector, all vectors together.
pub type ScalarFlat = Entry<(Address, Address, Address, u64, u64, u32)>;
/// A result for each vector and block.
pub type ReduceBlock = Entry<(Address, Address, u64, u64)>;
/// A result for each vector and segment.
pub type ReduceThread = Entry<(Address, Address, u64, u64, u64, u64, u64)>;

kernels! {
    /// Kernels of each field. `mixed_mul` is of extensions alone.
    FIELD_KERNELS: Field {
        ADD = "add"(a: Address, b: Address, out: Address, n: u64);
        SUB = "sub"(a: Address, b: Address, out: Address, n: u64);
        MUL = "mul"(a: Address, b: Address, out: Address, n: u64);
        ENCODE = "encode"(a: Address, out: Address, n: u64);
        DECODE = "decode"(a: Address, out: Address, n: u64);
        INV = "inv"(a: Address, out: Address, scratch: Address, n: u64);
        DIV = "div"(a: Address, b: Address, out: Address, scratch: Address, n: u64);
        SCALAR_ADD_ROW = "scalar_add_row"(scalars: Address, a: Address, out: Address, n: u64, batch: u64);
        SCALAR_ADD_FLAT = "scalar_add_flat"(scalars: Address, a: Address, out: Address, n: u64, batch: u64, columns: u32);
        SCALAR_SUB_ROW = "scalar_sub_row"(scalars: Address, a: Address, out: Address, n: u64, batch: u64);
        SCALAR_SUB_FLAT = "scalar_sub_flat"(scalars: Address, a: Address, out: Address, n: u64, batch: u64, columns: u32);
        SCALAR_MUL_ROW = "scalar_mul_row"(scalars: Address, a: Address, out: Address, n: u64, batch: u64);
        SCALAR_MUL_FLAT = "scalar_mul_flat"(scalars: Address, a: Address, out: Address, n: u64, batch: u64, columns: u32);
        SUM_BLOCK = "sum_block"(a: Address, out: Address, n: u64, batch: u64);
        SUM_THREAD = "sum_thread"(a: Address, out: Address, n: u64, batch: u64, pitch: u64, stride: u64, segments: u64);
        PRODUCT_BLOCK = "product_block"(a: Address, out: Address, n: u64, batch: u64);
        PRODUCT_THREAD = "product_thread"(
            a: Address, out: Address, n: u64, batch: u64, pitch: u64, stride: u64, segments: u64,
        );
        POLYNOMIAL_EVALUATE = "polynomial_evaluate"(
            coefficients: Address, domain: Address, out: Address, n: u64, points: u64, batch: u64, pitch: u64, stride: u64,
            segments: u64, columns: u32,
        );
        MATMUL = "matmul"(
            a: Address, b: Address, out: Address, rows: u64, inner: u64, cols: u64, a_row: u64, a_col: u64, b_row: u64,
            b_col: u64, out_row: u64, out_col: u64,
        );
        MIXED_MUL = "mixed_mul"(a: Address, b: Address, out: Address, n: u64);
        PROGRAM = "program"(code: Address, registers: Address, n: u64, count: u64);
        DIVISION_PREPARE = "division_prepare"(
            denominators: Address, top: Address, reversed: Address, series: Address, m: u64, batch: u64, pitch: u64,
            stride: u64,
        );
        DIVISION_STEP = "division_step"(
            rest: Address, reversed: Address, series: Address, top: Address, quotient: Address, step: u64, m: u64,
            batch: u64, pitch: u64, q_pitch: u64, stride: u64,
        );
        DIVISION_REMAINDER = "division_remainder"(
            rest: Address, top: Address, out: Address, room: u64, batch: u64, pitch: u64, out_pitch: u64, stride: u64,
        );
    }
}
