//! What an elementwise operation runs over.

use crate::DType;
use crate::array::{Array, Fresh, computing};
use crate::layout::{Layout, broadcast_shapes, dense_strides, same};
use icicle_device::Device;
use icicle_error::Result;

/// The order in which elements are taken: those of a shape, with its axes in some order.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// The shape that operands broadcast to.
    pub(crate) shape: Vec<usize>,
    /// Axes from the outermost to the innermost, if that is not the order they have.
    pub(crate) axes: Option<Vec<usize>>,
}

impl Order {
    /// C order.
    pub(crate) fn of(shape: &[usize]) -> Self {
        Self { shape: shape.to_vec(), axes: None }
    }

    /// The shape, its axes in this order.
    pub(crate) fn extents(&self) -> Vec<usize> {
        match &self.axes {
            None => self.shape.clone(),
            Some(axes) => axes.iter().map(|&k| self.shape[k]).collect(),
        }
    }

    /// A layout that broadcasts to the shape, with its axes in this order.
    pub(crate) fn arrange(&self, op: &'static str, layout: &Layout) -> Result<Layout> {
        let layout = layout.broadcast_to(op, &self.shape)?;
        Ok(match &self.axes {
            Some(axes) => layout.permuted(axes),
            None => layout,
        })
    }
}

/// The common shape of operands, the order of axes in which their memory is best read, and their device.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) op: &'static str,
    pub(crate) device: Device,
    pub(crate) order: Order,
}

impl Job {
    /// What operands make.
    ///
    /// # Errors
    /// `InvalidArgument` if shapes do not go together, devices differ; `Unsupported` if it does not compute.
    pub(crate) fn new(op: &'static str, operands: &[&Array]) -> Result<Self> {
        let device = computing(op, operands)?;
        let first = operands.first().map_or(&[][..], |array| array.shape());
        let shape = match operands.iter().all(|array| same(array.shape(), first)) {
            true => first.to_vec(),
            false => broadcast_shapes(op, &operands.iter().map(|array| array.shape()).collect::<Vec<_>>())?,
        };
        let strided = operands.iter().find(|array| same(array.shape(), &shape) && !array.is_dense());
        let axes = strided.and_then(|array| memory_order(&array.layout));
        Ok(Self { op, device, order: Order { shape, axes } })
    }

    /// As [`Job::new`] of one array, for results that lie in C order.
    pub(crate) fn in_order(op: &'static str, array: &Array) -> Result<Self> {
        Ok(Self { op, device: computing(op, &[array])?, order: Order::of(array.shape()) })
    }

    /// Memory for results of a dtype, in the job's order.
    pub(crate) fn out(&self, dtype: DType) -> Result<Fresh> {
        Fresh::new(self.op, self.device, dtype, &self.order.extents())
    }

    /// Elements of the result.
    pub(crate) fn len(&self) -> usize {
        self.order.shape.iter().product()
    }

    /// How results lie in such memory.
    pub(crate) fn layout(&self) -> Layout {
        let shape = self.order.shape.clone();
        let Some(axes) = &self.order.axes else {
            return Layout { strides: dense_strides(&shape), shape, offset: 0 };
        };
        let dense = dense_strides(&axes.iter().map(|&k| shape[k]).collect::<Vec<_>>());
        let mut strides = vec![0; axes.len()];
        axes.iter().zip(dense).for_each(|(&axis, stride)| strides[axis] = stride);
        Layout { shape, strides, offset: 0 }
    }
}

/// The order of axes by falling stride, if it is another than theirs.
fn memory_order(layout: &Layout) -> Option<Vec<usize>> {
    let mut order: Vec<_> = (0..layout.shape.len()).collect();
    order.sort_by_key(|&k| std::cmp::Reverse(layout.strides[k].unsigned_abs()));
    (!order.is_sorted()).then_some(order)
}
