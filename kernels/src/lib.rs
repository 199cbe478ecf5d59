//! The CUDA kernels: their generated parameters, their compiled images, and how to launch them.

pub mod params;
