//! ICICLE's prefixed symbols: rows of aliases, nothing else. The header's generator reads this file too, as text.
//!
//! A row is `fn name(arguments) -> result = module::target;` and stands for the function `<prefix>_<name>`, which calls
//! `target(id, arguments)`. Types: `T` element of the prefix, `S` scalar of the prefix, `A` affine point, `P` projective
//! point, `N` transform options; all of them `void` to Rust. `Code` results are narrowed to the codes ICICLE's clients
//! know.
#![allow(clippy::useless_conversion)] // `int` sizes widen, everything else converts to itself
#![allow(unused_unsafe)] // some targets take no pointer they would dereference

use crate::error::Code;
use crate::guard::icicle_name;
use crate::types::{Flag, MatMulConfig, MsmConfig, NttInitDomainConfig, VecOpsConfig};
use crate::{field, matrix, msm, ntt, point, polynomial, program, vector};
use icicle::{CurveId, FieldId};
use std::ffi::{c_int, c_void};

type T = c_void;
type S = c_void;
type A = c_void;
type P = c_void;
type N = c_void;
type Handle = *mut c_void;

/// What an alias returns, given what its target does.
trait Returns<R> {
    fn returns(self) -> R;
}
impl Returns<Code> for Code {
    fn returns(self) -> Code {
        self.for_icicle()
    }
}
impl Returns<()> for Code {
    fn returns(self) {}
}
impl Returns<bool> for bool {
    fn returns(self) -> bool {
        self
    }
}
impl Returns<Handle> for Handle {
    fn returns(self) -> Handle {
        self
    }
}

/// Emit the aliases of a prefix. Arguments: prefix, id, rows. Each row becomes one exported function.
macro_rules! emit {
    ([$prefix:ident $id:expr] $(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $module:ident::$target:ident;)*) => {
        pastey::paste! {$(
            #[doc = concat!("[`", stringify!($module::$target), "`] of `", stringify!($prefix), "`.")]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn [<$prefix _ $name>]($($arg: $ty),*) $(-> $ret)? {
                // SAFETY: the caller's promise, passed on.
                Returns::returns(icicle_name(|| unsafe { $module::$target($id as i32, $($arg.into()),*) }))
            }
        )*}
    };
}

/// Emit families of rows for a prefix. Arguments: prefix, id, families.
macro_rules! export {
    ($prefix:ident $id:path: $($family:ident)*) => { $($family! { emit [$prefix $id] })* };
}

macro_rules! arithmetic {
    ($emit:ident $at:tt) => {
        $emit! { $at
            fn add(a: *const T, b: *const T, result: *mut T) = field::icicle_field_add;
            fn sub(a: *const T, b: *const T, result: *mut T) = field::icicle_field_sub;
            fn mul(a: *const T, b: *const T, result: *mut T) = field::icicle_field_mul;
            fn sqr(a: *const T, result: *mut T) = field::icicle_field_sqr;
            fn inv(a: *const T, result: *mut T) = field::icicle_field_inv;
            fn pow(base: *const T, exp: c_int, result: *mut T) = field::icicle_field_pow;
            fn eq(a: *const T, b: *const T, result: *mut bool) = field::icicle_field_eq;
            fn from_u32(value: u32, result: *mut T) = field::icicle_field_from_u32;
            fn from_bytes_le(bytes: *const u8, result: *mut T) = field::icicle_field_from_bytes_le;
            fn generate_random(elements: *mut T, size: c_int) = field::icicle_field_generate_random;
        }
    };
}

// ICICLE v3's name.
macro_rules! scalars_v3 {
    ($emit:ident $at:tt) => {
        $emit! { $at
            fn generate_scalars(elements: *mut T, size: c_int) = field::icicle_field_generate_random;
        }
    };
}

macro_rules! vectors { ($emit:ident $at:tt) => { $emit! { $at
    fn vector_add(vec_a: *const T, vec_b: *const T, size: u64, config: *const VecOpsConfig, output: *mut T) -> Code = vector::icicle_vector_add;
    fn vector_sub(vec_a: *const T, vec_b: *const T, size: u64, config: *const VecOpsConfig, output: *mut T) -> Code = vector::icicle_vector_sub;
    fn vector_mul(vec_a: *const T, vec_b: *const T, size: u64, config: *const VecOpsConfig, output: *mut T) -> Code = vector::icicle_vector_mul;
    fn vector_div(vec_a: *const T, vec_b: *const T, size: u64, config: *const VecOpsConfig, output: *mut T) -> Code = vector::icicle_vector_div;
    fn vector_inv(vec_a: *const T, size: u64, config: *const VecOpsConfig, output: *mut T) -> Code = vector::icicle_vector_inv;
    fn vector_accumulate(vec_a: *mut T, vec_b: *const T, size: u64, config: *const VecOpsConfig) -> Code = vector::icicle_vector_accumulate;
    fn vector_sum(vec_a: *const T, size: u64, config: *const VecOpsConfig, output: *mut T) -> Code = vector::icicle_vector_sum;
    fn vector_product(vec_a: *const T, size: u64, config: *const VecOpsConfig, output: *mut T) -> Code = vector::icicle_vector_product;
    fn scalar_add_vec(scalar_a: *const T, vec_b: *const T, size: u64, config: *const VecOpsConfig, output: *mut T) -> Code = vector::icicle_scalar_add_vec;
    fn scalar_sub_vec(scalar_a: *const T, vec_b: *const T, size: u64, config: *const VecOpsConfig, output: *mut T) -> Code = vector::icicle_scalar_sub_vec;
    fn scalar_mul_vec(scalar_a: *const T, vec_b: *const T, size: u64, config: *const VecOpsConfig, output: *mut T) -> Code = vector::icicle_scalar_mul_vec;
    fn scalar_convert_montgomery(input: *const T, size: u64, is_to_montgomery: Flag, config: *const VecOpsConfig, output: *mut T) -> Code = vector::icicle_convert_montgomery;
    fn bit_reverse(input: *const T, size: u64, config: *const VecOpsConfig, output: *mut T) -> Code = vector::icicle_bit_reverse;
    fn slice(input: *const T, offset: u64, stride: u64, size_in: u64, size_out: u64, config: *const VecOpsConfig, output: *mut T) -> Code = vector::icicle_slice;
    fn execute_program(data_ptr: *const *mut T, nof_params: u64, program: Handle, size: u64, config: *const VecOpsConfig) -> Code = program::icicle_execute_program;
} } }

macro_rules! vectors_scalar { ($emit:ident $at:tt) => { $emit! { $at
    fn highest_non_zero_idx(input: *const T, size: u64, config: *const VecOpsConfig, out_idx: *mut i64) -> Code = vector::icicle_highest_non_zero_idx;
    fn poly_eval(coeffs: *const T, coeffs_size: u64, domain: *const T, domain_size: u64, config: *const VecOpsConfig, evals: *mut T) -> Code = polynomial::icicle_poly_eval;
    fn poly_division(numerator: *const T, numerator_size: u64, denominator: *const T, denominator_size: i64, config: *const VecOpsConfig, q_out: *mut T, q_size: u64, r_out: *mut T, r_size: u64) -> Code = polynomial::icicle_poly_division;
} } }

macro_rules! vectors_extension { ($emit:ident $at:tt) => { $emit! { $at
    fn vector_mixed_mul(vec_a: *const T, vec_b: *const S, size: u64, config: *const VecOpsConfig, output: *mut T) -> Code = vector::icicle_vector_mixed_mul;
} } }

macro_rules! transpose { ($emit:ident $at:tt) => { $emit! { $at
    fn matrix_transpose(mat_in: *const T, nof_rows: u32, nof_cols: u32, config: *const VecOpsConfig, mat_out: *mut T) -> Code = matrix::icicle_matrix_transpose;
} } }

macro_rules! matmul { ($emit:ident $at:tt) => { $emit! { $at
    fn matmul(mat_a: *const T, nof_rows_a: u32, nof_cols_a: u32, mat_b: *const T, nof_rows_b: u32, nof_cols_b: u32, config: *const MatMulConfig, mat_out: *mut T) -> Code = matrix::icicle_matmul;
} } }

macro_rules! programs { ($emit:ident $at:tt) => { $emit! { $at
    fn create_predefined_program(pre_def: c_int) -> Handle = program::icicle_create_predefined_program;
    fn create_predefined_returning_value_program(pre_def: c_int) -> Handle = program::icicle_create_predefined_returning_value_program;
    fn generate_program(parameters_ptr: *const Handle, nof_parameters: c_int, program: *mut Handle) -> Code = program::generate_in_order;
    fn generate_returning_value_program(parameters_ptr: *const Handle, nof_parameters: c_int, program: *mut Handle) -> Code = program::generate_returning_in_order;
    fn create_input_symbol(in_idx: c_int) -> Handle = program::icicle_create_input_symbol;
    fn create_scalar_symbol(constant: *const T) -> Handle = program::icicle_create_scalar_symbol;
    fn copy_symbol(other: Handle) -> Handle = program::icicle_copy_symbol;
    fn add_symbols(op_a: Handle, op_b: Handle, res: *mut Handle) -> Code = program::icicle_add_symbols;
    fn multiply_symbols(op_a: Handle, op_b: Handle, res: *mut Handle) -> Code = program::icicle_multiply_symbols;
    fn sub_symbols(op_a: Handle, op_b: Handle, res: *mut Handle) -> Code = program::icicle_sub_symbols;
    fn inverse_symbol(input: Handle, output: *mut Handle) -> Code = program::icicle_inverse_symbol;
} } }

macro_rules! transforms { ($emit:ident $at:tt) => { $emit! { $at
    fn ntt(input: *const T, size: c_int, dir: c_int, config: *const N, output: *mut T) -> Code = ntt::icicle_ntt;
} } }

macro_rules! domains { ($emit:ident $at:tt) => { $emit! { $at
    fn ntt_init_domain(primitive_root: *const T, config: *const NttInitDomainConfig) -> Code = ntt::icicle_ntt_init_domain;
    fn ntt_release_domain() -> Code = ntt::icicle_ntt_release_domain;
    fn get_root_of_unity(max_size: u64, rou: *mut T) -> Code = ntt::icicle_choice_of_root;
    fn get_root_of_unity_from_domain(logn: u64, rou: *mut T) -> Code = ntt::icicle_get_root_of_unity_from_domain;
} } }

macro_rules! points { ($emit:ident $at:tt) => { $emit! { $at
    fn ecadd(point1: *const P, point2: *const P, result: *mut P) = point::icicle_point_add;
    fn ecsub(point1: *const P, point2: *const P, result: *mut P) = point::icicle_point_sub;
    fn mul_scalar(point: *const P, scalar: *const S, result: *mut P) = point::icicle_point_mul_scalar;
    fn projective_eq(point1: *const P, point2: *const P) -> bool = point::projective_eq;
    fn is_on_curve(point: *const P) -> bool = point::is_on_curve;
    fn to_affine(point: *const P, point_out: *mut A) = point::icicle_point_to_affine;
    fn from_affine(point: *const A, point_out: *mut P) = point::icicle_point_from_affine;
    fn generator(result: *mut P) = point::icicle_point_generator;
    fn generate_affine_points(points: *mut A, size: c_int) = point::icicle_generate_affine_points;
    fn generate_projective_points(points: *mut P, size: c_int) = point::icicle_generate_projective_points;
    fn affine_convert_montgomery(input: *const A, n: u64, is_into: Flag, config: *const VecOpsConfig, output: *mut A) -> Code = point::icicle_affine_convert_montgomery;
    fn projective_convert_montgomery(input: *const P, n: u64, is_into: Flag, config: *const VecOpsConfig, output: *mut P) -> Code = point::icicle_projective_convert_montgomery;
    fn msm(scalars: *const S, bases: *const A, msm_size: c_int, config: *const MsmConfig, results: *mut P) -> Code = msm::icicle_msm;
    fn msm_precompute_bases(input_bases: *const A, nof_bases: c_int, config: *const MsmConfig, output_bases: *mut A) -> Code = msm::icicle_msm_precompute_bases;
} } }

macro_rules! point_transforms { ($emit:ident $at:tt) => { $emit! { $at
    fn ecntt(input: *const P, size: c_int, dir: c_int, config: *const N, output: *mut P) -> Code = ntt::icicle_ecntt;
} } }

export! { bn254 FieldId::Bn254Scalar: arithmetic scalars_v3 vectors vectors_scalar transpose matmul programs transforms domains }
export! { bn254_base_field FieldId::Bn254Base: arithmetic }
export! { bn254_g2_base_field FieldId::Bn254G2Base: arithmetic }
export! { bls12_381 FieldId::Bls12_381Scalar: arithmetic scalars_v3 vectors vectors_scalar transpose matmul programs transforms domains }
export! { bls12_381_base_field FieldId::Bls12_381Base: arithmetic }
export! { bls12_381_g2_base_field FieldId::Bls12_381G2Base: arithmetic }
export! { bls12_377 FieldId::Bls12_377Scalar: arithmetic scalars_v3 vectors vectors_scalar transpose matmul programs transforms domains }
export! { bls12_377_base_field FieldId::Bls12_377Base: arithmetic }
export! { bls12_377_g2_base_field FieldId::Bls12_377G2Base: arithmetic }
export! { bw6_761 FieldId::Bw6_761Scalar: arithmetic scalars_v3 vectors vectors_scalar transpose matmul programs transforms domains }
export! { bw6_761_base_field FieldId::Bw6_761Base: arithmetic }
export! { bw6_761_g2_base_field FieldId::Bw6_761G2Base: arithmetic }
export! { grumpkin FieldId::GrumpkinScalar: arithmetic scalars_v3 vectors vectors_scalar transpose matmul programs }
export! { grumpkin_base_field FieldId::GrumpkinBase: arithmetic }
export! { stark252 FieldId::Stark252Scalar: arithmetic scalars_v3 vectors vectors_scalar transpose matmul programs transforms domains }
export! { babybear FieldId::BabyBearScalar: arithmetic scalars_v3 vectors vectors_scalar transpose matmul programs transforms domains }
export! { babybear_extension FieldId::BabyBearExtension: arithmetic scalars_v3 vectors vectors_extension transpose programs transforms }
export! { koalabear FieldId::KoalaBearScalar: arithmetic scalars_v3 vectors vectors_scalar transpose matmul programs transforms domains }
export! { koalabear_extension FieldId::KoalaBearExtension: arithmetic scalars_v3 vectors vectors_extension transpose programs transforms }
export! { goldilocks FieldId::GoldilocksScalar: arithmetic scalars_v3 vectors vectors_scalar transpose matmul programs transforms domains }
export! { goldilocks_extension FieldId::GoldilocksExtension: arithmetic scalars_v3 vectors vectors_extension transpose programs transforms }
export! { m31 FieldId::M31Scalar: arithmetic scalars_v3 vectors vectors_scalar transpose matmul programs }
export! { m31_extension FieldId::M31Extension: arithmetic scalars_v3 vectors vectors_extension transpose programs }
export! { bn254 CurveId::Bn254: points point_transforms }
export! { bn254_g2 CurveId::Bn254G2: points }
export! { bls12_381 CurveId::Bls12_381: points point_transforms }
export! { bls12_381_g2 CurveId::Bls12_381G2: points }
export! { bls12_377 CurveId::Bls12_377: points point_transforms }
export! { bls12_377_g2 CurveId::Bls12_377G2: points }
export! { bw6_761 CurveId::Bw6_761: points point_transforms }
export! { bw6_761_g2 CurveId::Bw6_761G2: points }
export! { grumpkin CurveId::Grumpkin: points }
