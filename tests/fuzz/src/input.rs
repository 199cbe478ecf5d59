// What bytes choose: pointers, sizes, numbers.

use icicle_c::array_types;
use icicle_c::types::{MsmConfig, NttConfig, PointsConfig, VecOpsConfig};
use std::ffi::c_void;

/// Room of each buffer: the largest call takes 8 elements times 4 times 4 of 192 bytes.
pub const ROOM: usize = 1 << 16;

/// Bytes, and what calls made of them are given.
pub struct Input<'a> {
    pub data: &'a [u8],
    pub host: Vec<u64>,
    pub live: *mut c_void,
    pub handles: Vec<*mut c_void>,
}

impl Input<'_> {
    pub fn byte(&mut self) -> u8 {
        let (first, rest) = self.data.split_first().unwrap_or((&0, &[]));
        self.data = rest;
        *first
    }
    pub fn pointer(&mut self) -> *mut c_void {
        let host = self.host.as_mut_ptr().cast::<u8>();
        match self.byte() % 16 {
            0 => std::ptr::null_mut(),
            1 => host.wrapping_add(1).cast(),
            2 => self.live.wrapping_byte_add(2),
            3 | 4 => self.live.wrapping_byte_add(ROOM / 2),
            5..=8 => self.live,
            n => host.wrapping_add(ROOM * (n as usize - 9)).cast(),
        }
    }
    pub fn size(&mut self) -> i64 {
        match self.byte() % 16 {
            0 => -1,
            1 => i64::MIN,
            2 => i64::MAX,
            3 => 1 << 62,
            n => i64::from(n % 9),
        }
    }
    pub fn int(&mut self) -> i32 {
        [0, 1, 2, 3, 1, 1, -1, i32::MIN][self.byte() as usize % 8]
    }
    pub fn field(&mut self) -> i32 {
        [10, 11, 12, 20, 40, 41, 42, 50, 10010, 10013, 10020, 10030, 10033, 10034, 10050, 7][self.byte() as usize % 16]
    }
    pub fn curve(&mut self) -> i32 {
        [11, 12, 21, 22, 31, 41, 42, 51, 0, -1][self.byte() as usize % 10]
    }
    pub fn handle(&mut self) -> *mut c_void {
        let at = self.byte() as usize;
        if self.handles.is_empty() || at.is_multiple_of(8) {
            self.pointer()
        } else {
            self.handles[at % self.handles.len()]
        }
    }
    pub fn axes(&mut self) -> ([i32; 4], i32) {
        (std::array::from_fn(|_| i32::from(self.byte() % 6) - 3), i32::from(self.byte() % 6) - 1)
    }
    /// Extents of few elements, or of more than memory holds; how many axes.
    pub fn shape(&mut self) -> ([i64; 4], i32) {
        let extent = |byte: u8| [0, 1, 2, 3, 5, 1, 2, -1][byte as usize % 8];
        let mut shape = std::array::from_fn(|_| extent(self.byte()));
        if self.byte().is_multiple_of(32) {
            shape[0] = i64::MAX >> (self.byte() % 63);
        }
        (shape, i32::from(self.byte() % 6) - 1)
    }
    pub fn scalar(&mut self) -> array_types::Scalar {
        let (kind, number) = (i32::from(self.byte() % 7) - 1, i64::from(self.byte()) - 128);
        let real = [number as f64, f64::NAN, f64::INFINITY, 0.5][self.byte() as usize % 4];
        array_types::Scalar { kind, integer: number, real, imaginary: 1.0 }
    }
    pub fn vector(&mut self) -> VecOpsConfig {
        VecOpsConfig {
            is_a_on_device: self.byte() % 3,
            is_b_on_device: self.byte() % 3,
            is_result_on_device: self.byte() % 3,
            is_async: self.byte(),
            batch_size: self.int(),
            columns_batch: self.byte(),
            ..VecOpsConfig::default()
        }
    }
    pub fn points(&mut self) -> PointsConfig {
        PointsConfig {
            is_a_on_device: self.byte() % 3,
            is_b_on_device: self.byte() % 3,
            is_result_on_device: self.byte() % 3,
            is_async: self.byte(),
            is_a_affine: self.byte() % 2,
            is_b_affine: self.byte() % 2,
            is_result_affine: self.byte() % 2,
            is_a_single: self.byte() % 2,
            is_b_single: self.byte() % 2,
            ..PointsConfig::default()
        }
    }
    pub fn msm(&mut self) -> MsmConfig {
        MsmConfig {
            precompute_factor: self.int(),
            c: i32::from(self.byte() % 28) - 1,
            bitsize: i32::from(self.byte()) * 2 - 1,
            batch_size: self.int(),
            are_points_shared_in_batch: self.byte() % 2,
            are_scalars_on_device: self.byte() % 3,
            are_scalars_montgomery_form: self.byte(),
            are_points_on_device: self.byte() % 3,
            are_points_montgomery_form: self.byte(),
            are_results_on_device: self.byte() % 3,
            is_async: self.byte(),
            ..MsmConfig::default()
        }
    }
    pub fn ntt(&mut self) -> NttConfig<24> {
        // Larger than any layout: whichever the field picks is inside.
        let mut config = NttConfig::<24> { batch_size: self.int(), ..NttConfig::default() };
        config.coset_gen[0] = u32::from(self.byte());
        config.coset_gen[8] = 1;
        config
    }
}
