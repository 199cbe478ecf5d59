//! Axes over which several layouts are walked at once.

use crate::layout::MAX_RANK;

/// Extents, and for each layout the strides in elements, outermost first: as few axes as say the same.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Axes {
    pub(super) extents: Vec<usize>,
    pub(super) strides: Vec<Vec<isize>>,
}

impl Axes {
    /// Of layouts of one shape.
    pub(super) fn new(shape: &[usize], layouts: &[&[isize]]) -> Self {
        debug_assert!(shape.len() <= MAX_RANK);
        let mut extents: Vec<usize> = Vec::new();
        let mut strides: Vec<Vec<isize>> = layouts.iter().map(|_| Vec::new()).collect();
        for (k, &extent) in shape.iter().enumerate().filter(|&(_, &extent)| extent != 1) {
            let joins = !extents.is_empty()
                && strides
                    .iter()
                    .zip(layouts)
                    .all(|(done, layout)| done.last() == Some(&layout[k].wrapping_mul(extent as isize)));
            match extents.last_mut().filter(|_| joins) {
                Some(outer) => {
                    *outer *= extent;
                    strides.iter_mut().zip(layouts).for_each(|(done, layout)| {
                        done.pop();
                        done.push(layout[k]);
                    });
                }
                None => {
                    extents.push(extent);
                    strides.iter_mut().zip(layouts).for_each(|(done, layout)| done.push(layout[k]));
                }
            }
        }
        Self { extents, strides }
    }

    /// Whether a layout's elements follow each other in the order of all.
    pub(super) fn is_dense(&self, layout: usize) -> bool {
        let mut expected = 1;
        self.extents.iter().zip(&self.strides[layout]).rev().all(|(&extent, &stride)| {
            let dense = stride == expected;
            expected *= extent as isize;
            dense
        })
    }

    /// Whether all elements of a layout are one and the same.
    pub(super) fn is_constant(&self, layout: usize) -> bool {
        self.strides[layout].iter().all(|&stride| stride == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_join_where_all_layouts_allow_it() {
        let dense: &[isize] = &[12, 4, 1];
        let axes = Axes::new(&[2, 3, 4], &[dense, &[0, 0, 0]]);
        assert_eq!((&axes.extents[..], &axes.strides[..]), (&[24][..], &[vec![1], vec![0]][..]));
        assert!(axes.is_dense(0) && axes.is_constant(1) && !axes.is_dense(1));
        // A row that is repeated keeps its axis apart.
        let axes = Axes::new(&[2, 3, 4], &[dense, &[0, 0, 1]]);
        assert_eq!((&axes.extents[..], &axes.strides[1][..]), (&[6, 4][..], &[0, 1][..]));
        assert!(axes.is_dense(0) && !axes.is_dense(1));
        let axes = Axes::new(&[1, 5, 1], &[&[7, -1, 3]]);
        assert_eq!((&axes.extents[..], &axes.strides[0][..]), (&[5][..], &[-1][..]));
        let axes = Axes::new(&[], &[&[]]);
        assert!(axes.is_dense(0) && axes.is_constant(0));
    }
}
