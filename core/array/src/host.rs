//! Elements on the host: as numbers, and as bytes, whatever their type.

use crate::array::Array;
use crate::dtype::{Visitor, visit};
use crate::{Bool, Complex, DType, Element, Scalar};
use half::{bf16, f16};
use icicle_device::Device;
use icicle_error::{Error, Result};

impl Array {
    /// A copy of the elements in C order, on the host.
    ///
    /// # Errors
    /// `InvalidArgument` if `T` is not the dtype's type; `OutOfMemory`.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        const OP: &str = "to_vec";
        self.check_type::<T>(OP)?;
        self.to_device(Device::cpu(0))?.read_vec(OP)
    }

    /// The value of an array of one element.
    ///
    /// # Errors
    /// `InvalidArgument` if there is not exactly one.
    pub fn item(&self) -> Result<Scalar> {
        if self.len() != 1 {
            return Err(Error::argument("item", format!("array of {} elements: must have exactly one", self.len())));
        }
        let mut bytes = [0; 16];
        let bytes = &mut bytes[..self.dtype.bytes()];
        self.copy_to_host("item", bytes)?;
        fn read<T: Element>(bytes: &[u8]) -> T {
            bytemuck::pod_read_unaligned(bytes)
        }
        Ok(match self.dtype {
            DType::Bool => Scalar::Bool(read::<Bool>(bytes).into()),
            DType::Int8 => Scalar::Int(read::<i8>(bytes).into()),
            DType::Int16 => Scalar::Int(read::<i16>(bytes).into()),
            DType::Int32 => Scalar::Int(read::<i32>(bytes).into()),
            DType::Int64 => Scalar::Int(read::<i64>(bytes).into()),
            DType::UInt8 => Scalar::Int(read::<u8>(bytes).into()),
            DType::UInt16 => Scalar::Int(read::<u16>(bytes).into()),
            DType::UInt32 => Scalar::Int(read::<u32>(bytes).into()),
            DType::UInt64 => Scalar::Int(read::<u64>(bytes).into()),
            DType::Float16 => Scalar::Float(read::<f16>(bytes).to_f64()),
            DType::BFloat16 => Scalar::Float(read::<bf16>(bytes).to_f64()),
            DType::Float32 => Scalar::Float(read::<f32>(bytes).into()),
            DType::Float64 => Scalar::Float(read::<f64>(bytes)),
            DType::Complex64 => {
                let Complex { re, im } = read::<Complex<f32>>(bytes);
                Scalar::Complex(Complex::new(re.into(), im.into()))
            }
            DType::Complex128 => Scalar::Complex(read(bytes)),
        })
    }

    /// Copy the elements in C order, as they lie in memory, to host memory of exactly as many bytes.
    ///
    /// # Errors
    /// `InvalidArgument` if the bytes are not as many; `Unsupported` for a strided array that is not on a CPU;
    /// `OutOfMemory`, `CopyFailed`.
    pub fn copy_to_bytes(&self, out: &mut [u8]) -> Result<()> {
        struct Copy<'a>(&'a Array, &'a mut [u8]);
        impl Visitor for Copy<'_> {
            type Output = Result<()>;
            fn visit<T: Element>(self) -> Result<()> {
                self.1.copy_from_slice(bytemuck::cast_slice(self.0.elements::<T>()?));
                Ok(())
            }
        }
        let (dtype, n): (DType, usize) = (self.dtype(), self.len());
        if out.len() != n * dtype.bytes() {
            let rule = format!("{n} elements of {dtype} take {}", n * dtype.bytes());
            return Err(Error::argument("to_host", format!("memory of {} bytes: {rule}", out.len())));
        }
        visit(dtype, Copy(&self.to_device(Device::cpu(0))?.contiguous()?, out))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array, DType};

    #[test]
    fn bytes_are_those_of_the_elements_in_c_order() {
        let x = Array::from_slice(&[1u16, 2, 3, 4, 5, 6], &[2, 3]).unwrap().matrix_transpose().unwrap();
        let mut bytes = [9; 12];
        x.copy_to_bytes(&mut bytes).unwrap();
        assert_eq!(bytes, [1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6, 0]);
        let error = x.copy_to_bytes(&mut bytes[1..]).unwrap_err().to_string();
        assert_eq!(error, "to_host: memory of 11 bytes: 6 elements of uint16 take 12");
        let none = crate::zeros(x.device(), &[0, 3], DType::Complex128).unwrap();
        none.copy_to_bytes(&mut []).unwrap();
    }
}
