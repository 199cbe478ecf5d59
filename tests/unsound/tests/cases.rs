//! Safe Rust cannot misuse the library: each program in `cases/` is refused, for the reason beside it.

#[test]
fn no_case_compiles() {
    trybuild::TestCases::new().compile_fail("cases/*.rs");
}
