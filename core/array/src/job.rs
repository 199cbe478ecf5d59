//! What an elementwise operation runs over.

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
    /// What operands that lie so make, on a device.
    ///
    /// # Errors
    /// `InvalidArgument` if shapes do not go together.
    pub(crate) fn new<'a>(
        op: &'static str,
        device: Device,
        layouts: impl Iterator<Item = &'a Layout> + Clone,
    ) -> Result<Self> {
        let first = layouts.clone().next().map_or(&[][..], |layout| &layout.shape);
        let shape = match layouts.clone().all(|layout| same(&layout.shape, first)) {
            true => first.to_vec(),
            false => broadcast_shapes(op, &layouts.clone().map(|layout| &layout.shape[..]).collect::<Vec<_>>())?,
        };
        let strided = layouts.clone().find(|layout| same(&layout.shape, &shape) && !layout.is_dense());
        let axes = strided.and_then(memory_order);
        Ok(Self { op, device, order: Order { shape, axes } })
    }

    /// Of one shape, for results that lie in C order.
    pub(crate) fn in_order(op: &'static str, device: Device, shape: &[usize]) -> Self {
        Self { op, device, order: Order::of(shape) }
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
