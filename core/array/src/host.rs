//! Elements on the host: as numbers, and as bytes, whatever their type.

use crate::array::Array;
use crate::dtype::{Visitor, visit};
use crate::{Bool, DType, Element, Kind, Scalar};
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
        let one = self.to_device(Device::cpu(0))?;
        Ok(match self.dtype.kind() {
            Kind::Bool => Scalar::Bool(one.to_vec::<Bool>()?[0].into()),
            Kind::Unsigned => Scalar::Int(one.astype(DType::UInt64)?.to_vec::<u64>()?[0].into()),
            Kind::Signed => Scalar::Int(one.astype(DType::Int64)?.to_vec::<i64>()?[0].into()),
            Kind::Float => Scalar::Float(one.astype(DType::Float64)?.to_vec::<f64>()?[0]),
            Kind::Complex => Scalar::Complex(one.astype(DType::Complex128)?.to_vec()?[0]),
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
