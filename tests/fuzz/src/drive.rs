// Bytes to calls. Pointers are null, misaligned, on the host or on the device; sizes fit the buffers, or are
// negative or beyond the address space: what lies between would be the caller's fault, not the library's.

mod arrays;
mod collectives;
mod encrypted;
mod input;

use icicle_c::error::{icicle_error_take, icicle_last_error};
use icicle_c::types::{IcicleDevice, MatMulConfig, NttInitDomainConfig};
use icicle_c::{
    array, comm, device, error, extension, field, group, group_ops, matrix, memory, msm, ntt, point, points,
    polynomial, program, sharded, sharded_array, stream, vector,
};
use input::{Input, ROOM};

/// Run the calls that `data` spells.
pub fn drive(data: &[u8]) {
    run(data, call);
}

/// Run calls on encrypted integers alone; few of all calls are.
pub fn drive_encrypted(data: &[u8]) {
    run(data, call_encrypted);
}

fn run(data: &[u8], call: unsafe fn(&mut Input)) {
    let mut i =
        Input { data, host: vec![0x0123_4567_0000_0001; ROOM], live: std::ptr::null_mut(), handles: Vec::new() };
    // SAFETY: the arguments are live locals; handles come from the library and are used before they are destroyed.
    unsafe {
        assert_eq!(memory::icicle_malloc(&mut i.live, ROOM * 2), error::Code::Success);
        assert_eq!(memory::icicle_memset(i.live, 1, ROOM * 2), error::Code::Success);
        let mut calls = 0;
        while !i.data.is_empty() && calls < 64 {
            call(&mut i);
            calls += 1;
            // The code has a name, and the message ends within its room.
            let mut text = [1; 8];
            let code = icicle_error_take(text.as_mut_ptr(), text.len());
            assert!(text.contains(&0) && matches!(code as i32, 0..=12 | 64..=66));
            assert_eq!(icicle_last_error(), error::Code::Success);
        }
        program::icicle_release_symbols();
        for handle in std::mem::take(&mut i.handles) {
            let _ = program::delete_program(handle);
            let _ = stream::icicle_event_destroy(handle);
            let _ = sharded::icicle_sharded_free(handle);
            let _ = sharded_array::icicle_sharded_array_free(handle);
            let _ = group::icicle_group_destroy(handle);
            let _ = comm::icicle_comm_destroy(handle);
            let _ = array::icicle_array_free(handle);
            extension::destroy_config_extension(handle);
            encrypted::clean_up(handle);
        }
        assert_eq!(memory::icicle_free(i.live), error::Code::Success);
    }
}

/// # Safety
/// `i.live` and `i.handles` are the library's.
unsafe fn call_encrypted(i: &mut Input) {
    let mut handle = std::ptr::null_mut();
    // SAFETY: as asked of this function.
    let _ = unsafe { encrypted::call(i, &mut handle) };
    if !handle.is_null() {
        i.handles.push(handle);
    }
}

/// # Safety
/// `i.live` and `i.handles` are the library's.
unsafe fn call(i: &mut Input) {
    let which = i.byte() % 65;
    if which > 62 {
        // SAFETY: as asked of this function.
        return unsafe { call_encrypted(i) };
    }
    let (f, a, b, out) = (i.field(), i.pointer(), i.pointer(), i.pointer());
    let (n, vec) = (i.size(), i.vector());
    let size = n as u64;
    let config = if i.byte().is_multiple_of(16) { std::ptr::null() } else { &raw const vec };
    let transform = i.ntt();
    let transform = (&raw const transform).cast();
    let mut handle = std::ptr::null_mut();
    // SAFETY: pointers are null, foreign on purpose where the library can tell, or hold ROOM words, at least what the
    // sizes given ask for; the rest is the caller's.
    unsafe {
        let _ = match which {
            0 => vector::icicle_vector_add(f, a, b, size, config, out),
            1 => vector::icicle_vector_mul(f, a, b, size, config, out),
            2 => vector::icicle_vector_div(f, a, b, size, config, out),
            3 => vector::icicle_vector_inv(f, a, size, config, out),
            4 => vector::icicle_vector_sum(f, a, size, config, out),
            5 => vector::icicle_vector_accumulate(f, a, b, size, config),
            6 => vector::icicle_scalar_sub_vec(f, a, b, size, config, out),
            7 => vector::icicle_convert_montgomery(f, a, size, i.byte(), config, out),
            8 => vector::icicle_bit_reverse(f, a, size, config, out),
            9 => vector::icicle_slice(f, a, i.size() as u64, i.size() as u64, size, i.size() as u64, config, out),
            10 => vector::icicle_highest_non_zero_idx(f, a, size, config, out.cast()),
            11 => vector::icicle_vector_mixed_mul(f, a, b, size, config, out),
            12 => polynomial::icicle_poly_eval(f, a, size, b, i.size() as u64, config, out),
            13 => {
                let (q, r) = (i.size() as u64, i.size() as u64);
                polynomial::icicle_poly_division(f, a, size, b, i.size(), config, out, q, i.pointer(), r)
            }
            14 => {
                let dims: [u32; 4] = std::array::from_fn(|_| u32::from(i.byte() % 8));
                let product =
                    MatMulConfig { a_transposed: i.byte() % 2, b_transposed: i.byte() % 2, ..Default::default() };
                matrix::icicle_matmul(f, a, dims[0], dims[1], b, dims[2], dims[3], &product, out)
            }
            15 => matrix::icicle_matrix_transpose(f, a, u32::from(i.byte() % 4), u32::from(i.byte() % 4), config, out),
            16 | 17 => ntt::icicle_ntt(f, a, n, i.int(), transform, out),
            18 => ntt::icicle_ecntt(i.curve(), a, n, i.int(), transform, out),
            19 => ntt::icicle_get_root_of_unity(f, size, out),
            20 => ntt::icicle_ntt_init_domain(f, a, &NttInitDomainConfig::default()),
            21 => ntt::icicle_get_root_of_unity_from_domain(f, size, out),
            22 => ntt::icicle_ntt_release_domain(f),
            23 | 24 => msm::icicle_msm(i.curve(), a, b, n, &i.msm(), out),
            25 => msm::icicle_msm_precompute_bases(i.curve(), a, n, &i.msm(), out),
            26 => point::icicle_point_add(i.curve(), a, b, out),
            27 => point::icicle_point_mul_scalar(i.curve(), a, b, out),
            28 => point::icicle_point_to_affine(i.curve(), a, out),
            29 => point::icicle_generate_affine_points(i.curve(), out, n.min(8)),
            30 => point::icicle_projective_convert_montgomery(i.curve(), a, size, i.byte(), config, out),
            31 => field::icicle_field_pow(f, a, i.int(), out),
            32 => field::icicle_field_from_bytes_le(f, a.cast(), out),
            33 => field::icicle_field_generate_random(f, out, n),
            34 => {
                let symbol = match i.byte() % 3 {
                    0 => program::icicle_create_input_symbol(f, i.int()),
                    1 => program::icicle_create_scalar_symbol(f, a),
                    _ => program::icicle_copy_symbol(f, i.handle()),
                };
                i.handles.push(symbol);
                program::icicle_multiply_symbols(f, i.handle(), i.handle(), &mut handle)
            }
            35 => {
                let parameters: Vec<_> = (0..i.byte() % 6).map(|_| i.handle()).collect();
                program::icicle_generate_program(f, parameters.as_ptr(), parameters.len() as i32, &mut handle)
            }
            36 => {
                let vectors: Vec<_> = (0..4).map(|_| i.pointer()).collect();
                let program = if i.byte().is_multiple_of(2) {
                    program::icicle_create_predefined_program(f, i.int())
                } else {
                    i.handle()
                };
                i.handles.push(program);
                program::icicle_execute_program(f, vectors.as_ptr(), 4, program, size, config)
            }
            37 => {
                let _ = stream::icicle_event_create(&mut handle, i.byte());
                stream::icicle_stream_wait_event(i.handle(), i.handle())
            }
            39 => points::icicle_points_sub(i.curve(), a, b, size, &i.points(), out),
            40 => points::icicle_points_mul(i.curve(), a, b, size, &i.points(), out),
            41 => points::icicle_points_normalize(i.curve(), a, size, &i.points(), out),
            42 => points::icicle_points_equal(i.curve(), a, b, size, &i.points(), out.cast()),
            // One or two devices, or one twice; shares of all kinds.
            43 => {
                let count = i.int();
                let mut devices = [IcicleDevice { device_type: [0; 64], id: 0 }; 3];
                for device in &mut devices {
                    device.device_type[..3].copy_from_slice(&[67, 80, 85]);
                    device.id = i32::from(i.byte() % 4);
                }
                let shares: [f64; 3] = std::array::from_fn(|_| [1.0, 2.0, 0.0, -1.0, f64::NAN][i.byte() as usize % 5]);
                let shares = if i.byte().is_multiple_of(2) { std::ptr::null() } else { shares.as_ptr() };
                group::icicle_group_create(devices.as_ptr(), count, shares, &mut handle)
            }
            44 | 45 => {
                let bytes = [4, 8, 16, 32, 64, 0][i.byte() as usize % 6];
                sharded::icicle_sharded_create(i.handle(), n, bytes, i.int(), &mut handle)
            }
            46 => sharded::icicle_sharded_scatter(i.handle(), a, i.handle()),
            47 => sharded::icicle_sharded_gather(i.handle(), i.handle(), out),
            48 => sharded::icicle_sharded_reshard(i.handle(), i.handle(), i.int(), &mut handle),
            49 => group_ops::icicle_group_vector_binary(i.handle(), f, i.int(), i.handle(), i.handle(), i.handle()),
            50 => match i.byte() % 4 {
                0 => group_ops::icicle_group_vector_reduce(i.handle(), f, i.int(), i.handle(), out),
                1 => group_ops::icicle_group_vector_accumulate(i.handle(), f, i.handle(), i.handle()),
                2 => group_ops::icicle_group_poly_eval(i.handle(), f, i.handle(), a, size, out),
                _ => group_ops::icicle_group_ntt_sharded(i.handle(), f, i.handle(), i.int(), transform, i.handle()),
            },
            51 => match i.byte() % 3 {
                0 => group_ops::icicle_group_msm(i.handle(), i.curve(), a, b, n, &i.msm(), out),
                1 => group_ops::icicle_group_msm_sharded(i.handle(), i.curve(), i.handle(), i.handle(), &i.msm(), out),
                _ => group_ops::icicle_group_ntt(i.handle(), f, a, n, i.int(), transform, out),
            },
            52..=59 => arrays::call(i, which, &mut handle),
            60 => arrays::call_random(i, &mut handle),
            61 => arrays::call_sharded(i, &mut handle),
            62 => collectives::call(i, &mut handle),
            38 => memory::icicle_copy(out, a, (size as usize).min(64)),
            _ => device::icicle_get_registered_devices(a.cast(), i.byte() as usize % 16),
        };
    }
    if !handle.is_null() {
        i.handles.push(handle);
    }
}
