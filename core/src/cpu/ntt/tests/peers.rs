//! Against arkworks and Plonky3.
