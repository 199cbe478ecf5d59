//! The native half of the Python package `icicle`: memory, devices, streams and one function for each operation.
//!
//! Functions take the number of a field or curve, counts, and operands: buffers, or `bytes` for scalars that come from
//! Python's integers. Shapes, operators and options are the Python half's (`icicle/`). Nothing here validates what the core
//! does: errors have the core's text. Every call into the core goes through `error::call`, which releases the
//! interpreter's lock, or, where that would take longer than the work, `error::brief`; both turn panics into errors.

mod array;
mod buffer;
mod comm;
mod device;
mod dlpack;
mod encoding;
mod error;
mod fhe;
mod group;
mod host;
mod limbs;
mod matrix;
mod msm;
mod ntt;
mod ntt_config;
mod number_arithmetic;
mod number_array;
mod number_codes;
mod number_export;
mod number_import;
mod number_index;
mod number_linear;
mod number_operators;
mod number_order;
mod number_pinned;
mod number_random;
mod number_reduce;
mod number_shape;
mod number_sharded;
mod number_type;
mod number_unified;
mod point;
mod polynomial;
mod program;
mod protocol;
mod registry;
mod stream;
mod strided;
mod vector;

/// Native half of the package `icicle`; use that.
// Not declared safe without the interpreter's lock: no such build has run the tests.
#[pyo3::pymodule(gil_used = true)]
mod _icicle {
    #[pymodule_export]
    use crate::array::Array;
    #[pymodule_export]
    use crate::buffer::Buffer;
    #[pymodule_export]
    use crate::comm::{Comm, UniqueId, comm_memory, comm_run, comm_run_sharded};
    #[pymodule_export]
    use crate::device::{
        Device, DeviceInfo, MemoryStats, current_device, devices, set_default_device, set_library_path,
    };
    #[pymodule_export]
    use crate::dlpack::{from_dlpack, pointer_device};
    #[pymodule_export]
    use crate::encoding::{check_elements, check_points, compress, decompress, random_elements};
    #[pymodule_export]
    use crate::error::error_codes;
    #[pymodule_export]
    use crate::fhe::{
        FheClientKey, FheCompressedNumbers, FheCompressedServerKey, FheNumbers, FheServerKey, fhe_binary, fhe_cast,
        fhe_concatenate, fhe_count, fhe_operations, fhe_overflowing, fhe_select, fhe_server_key, fhe_set_server_key,
        fhe_trivial, fhe_types, fhe_unary,
    };
    #[pymodule_export]
    use crate::group::{Failure, Group, Vector, device_link};
    #[pymodule_export]
    use crate::host::{Registered, managed_empty, pinned_empty};
    #[pymodule_export]
    use crate::matrix::{matrix_multiply, matrix_transpose};
    #[pymodule_export]
    use crate::msm::{msm, msm_precompute};
    #[pymodule_export]
    use crate::ntt::{init_domain, release_domain, root_of_unity, transform};
    #[pymodule_export]
    use crate::number_array::NumberArray;
    #[pymodule_export]
    use crate::number_import::{
        number_arange, number_eye, number_from_buffer, number_from_bytes, number_from_dlpack, number_from_nested,
        number_full, number_linspace,
    };
    #[pymodule_export]
    use crate::number_linear::{
        number_cross, number_diagonal, number_factors, number_fft, number_fftn, number_fftshift, number_frequencies,
        number_matrix, number_matrix_norm, number_matrix_power, number_outer, number_solve, number_spectral,
        number_trace, number_vector_norm,
    };
    #[pymodule_export]
    use crate::number_operators::{
        float32_matmul_precision, number_binary, number_clip, number_matmul, number_operations, number_tensordot,
        number_unary, number_vecdot, number_where, set_float32_matmul_precision,
    };
    #[pymodule_export]
    use crate::number_order::{
        number_argsort, number_isin, number_nonzero, number_searchsorted, number_sort, number_take, number_unique,
        number_unique_values,
    };
    #[pymodule_export]
    use crate::number_random::{
        Key, random_bernoulli, random_bits, random_choice, random_integers, random_normal, random_permutation,
        random_shuffle, random_uniform,
    };
    #[pymodule_export]
    use crate::number_reduce::{number_fold, number_place, number_scan, number_spread, number_total};
    #[pymodule_export]
    use crate::number_shape::{
        number_astype, number_broadcast, number_broadcast_to, number_concat, number_copy, number_diff,
        number_expand_dims, number_flip, number_meshgrid, number_moveaxis, number_permute, number_repeat,
        number_reshape, number_roll, number_squeeze, number_stack, number_tile, number_transpose, number_triangle,
        number_unstack,
    };
    #[pymodule_export]
    use crate::number_sharded::ShardedNumbers;
    #[pymodule_export]
    use crate::number_type::{
        NumberType, number_can_cast, number_finfo, number_iinfo, number_isdtype, number_promote, number_type,
        number_types,
    };
    #[pymodule_export]
    use crate::point::{
        generator, point_binary, point_convert, point_convert_montgomery, point_equal, point_negate, point_scale,
        random_points,
    };
    #[pymodule_export]
    use crate::polynomial::{polynomial_divide, polynomial_evaluate};
    #[pymodule_export]
    use crate::program::{Program, Symbol, execute_program};
    #[pymodule_export]
    use crate::registry::{curves, fields, libraries, operations, version};
    #[pymodule_export]
    use crate::stream::{Event, Stream};
    #[pymodule_export]
    use crate::vector::{
        bit_reverse, convert_montgomery, highest_non_zero, vector_binary, vector_inv, vector_mixed_mul, vector_reduce,
        vector_scalar, vector_slice,
    };
}
