//! Random field elements and curve points, on the host.
