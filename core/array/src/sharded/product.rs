//! Matrix products, divided as the operands lie.

use super::{Placement, ShardedArray, each, held};
use crate::layout::broadcast_shapes;
use crate::promote;
use icicle_error::{Error, Result};
use icicle_runtime::DeviceGroup;

impl ShardedArray {
    /// The matrix product; as [`matmul`](crate::matmul). How it is divided follows from how the operands lie:
    ///
    /// - `self` split by rows (or a leading axis): each device computes its rows with all of `other`, which is brought to it
    ///   unless it is replicated; the result is split likewise.
    /// - `self` split by columns, or `other` by rows: each device computes a part of every sum; the result is partial sums.
    /// - `other` split by columns: each device computes its columns; the result is split by them.
    /// - neither: every device computes all of it.
    ///
    /// # Errors
    /// As there; `InvalidArgument` if the group has other devices. An error of a device names it.
    pub fn matmul(&self, group: &DeviceGroup, other: &Self) -> Result<Self> {
        const OP: &str = "matmul";
        self.of(group)?;
        other.of(group)?;
        let (x, y) = (self.whole(group)?, other.whole(group)?);
        let dtype = promote(OP, x.dtype, y.dtype)?;
        if x.rank() == 0 || y.rank() == 0 {
            return Err(Error::argument(OP, "array without axes: must have one"));
        }
        let (inner_x, inner_y) = (x.rank() - 1, y.rank().saturating_sub(2));
        if x.shape[inner_x] != y.shape[inner_y] {
            let detail = format!("shapes {:?} and {:?}: inner extents must be equal", x.shape, y.shape);
            return Err(Error::argument(OP, detail));
        }
        let shape = x.product_shape(&y)?;
        let columns = (y.rank() > 1).then(|| y.rank() - 1);
        let inner = match (x.placement, y.placement) {
            (Placement::Split(axis), _) if axis == inner_x => Some(&x.ranges),
            (Placement::Split(_), _) => None,
            (_, Placement::Split(axis)) if axis == inner_y => Some(&y.ranges),
            _ => None,
        };
        if let Some(ranges) = inner {
            let sums = held(dtype);
            let parts = each(group, |device, position| {
                let range = &ranges[position];
                let left = x.bring(position, device, &Some((inner_x, range.clone())))?;
                let right = y.bring(position, device, &Some((inner_y, range.clone())))?;
                crate::matmul(&left, &right)?.astype(sums)
            })?;
            return Self::from_parts(group, shape, Placement::Partial, Vec::new(), dtype, parts);
        }
        let (placement, ranges) = match (x.placement, y.placement) {
            // A leading axis, which may meet one of the other's.
            (Placement::Split(axis), _) if axis + 2 < x.rank() && y.rank() > 2 => {
                return x.reshard(group, Placement::Split(x.rank() - 2))?.matmul(group, &y);
            }
            (Placement::Split(axis), _) => {
                // Rows come after the leading axes, columns last.
                let rows = shape.len() - 1 - usize::from(columns.is_some());
                (Placement::Split(rows + axis + 2 - x.rank()), x.ranges.clone())
            }
            (_, Placement::Split(axis)) if Some(axis) == columns => {
                (Placement::Split(shape.len() - 1), y.ranges.clone())
            }
            // A leading axis of the right operand.
            (_, Placement::Split(_)) => return x.matmul(group, &y.reshard(group, Placement::Replicated)?),
            _ => (Placement::Replicated, Vec::new()),
        };
        let parts = each(group, |device, position| {
            let own = |array: &Self| match array.placement {
                Placement::Split(axis) => Some((axis, array.ranges[position].clone())),
                _ => None,
            };
            let left = x.bring(position, device, &own(&x))?;
            let by_columns = !matches!(x.placement, Placement::Split(_));
            let right = y.bring(position, device, &if by_columns { own(&y) } else { None })?;
            crate::matmul(&left, &right)
        })?;
        Self::from_parts(group, shape, placement, ranges, dtype, parts)
    }

    /// The shape of a product.
    fn product_shape(&self, other: &Self) -> Result<Vec<usize>> {
        let (x, y) = (&self.shape, &other.shape);
        let mut shape =
            broadcast_shapes("matmul", &[&x[..x.len().saturating_sub(2)], &y[..y.len().saturating_sub(2)]])?;
        shape.extend(x.len().checked_sub(2).map(|k| x[k]));
        shape.extend(y.len().checked_sub(2).map(|k| y[k + 1]));
        Ok(shape)
    }
}
