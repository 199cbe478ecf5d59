//! Nothing: the cases in `cases/` are tried by `tests/cases.rs`. A package apart, so that they are compiled without what the
//! other tests need.
