// What an operation of a backend trusts is made by the checks before it.
use icicle::ops::ntt::DomainArgs;
use icicle::ops::vector::{Reduce, ReduceArgs, Shape};
use icicle::FieldId;
use icicle::device::{Dst, Src};

fn reduce<'a>(shape: Shape, a: Src<'a>, out: Dst<'a>) -> ReduceArgs<'a> {
    ReduceArgs { reduce: Reduce::Sum, shape, a, out }
}

fn main() {
    let _ = DomainArgs { field: FieldId::Bn254Scalar, root: [0; 12], log_n: 99 };
    let _ = reduce;
}
