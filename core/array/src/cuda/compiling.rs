//! That what is generated compiles, wherever there is NVRTC: it needs no GPU.

use super::draft::Draft;
use super::source::{Source, Target};
use crate::chain::Asks;
use crate::elementwise::{BinaryOp, UnaryOp, binary_step, unary_step};
use crate::job::Order;
use crate::{Array, DType, zeros};
use icicle_cuda::nvrtc;
use icicle_device::Device;
use icicle_kernels::array::HEADERS;

fn some(dtype: DType) -> Array {
    zeros(Device::cpu(0), &[3, 5], dtype).unwrap()
}

/// Compile a kernel, if there is a compiler; tests that must have one say so.
fn compiles(text: &str) {
    if let Some(why) = nvrtc::unavailable() {
        assert!(std::env::var_os("ICICLE_NVRTC_PATH").is_none(), "{why}");
        return;
    }
    if let Err(error) = nvrtc::compile("test", text, HEADERS, "sm_90") {
        panic!("{error}\n{text}");
    }
}

/// Every operation on every dtype it is defined for, and every cast.
#[test]
fn every_operation() {
    for &dtype in DType::ALL {
        let (x, order) = (some(dtype), Order::of(&[3, 5]));
        let mut draft = Draft::new("test");
        for &op in UnaryOp::ALL {
            if let Some((step, out)) = unary_step(op, dtype) {
                draft.step(&order, step, &[&x], out).unwrap();
            }
        }
        for &op in BinaryOp::ALL {
            if let Some((step, out)) = binary_step(op, dtype) {
                draft.step(&order, step, &[&x, &x], out).unwrap();
            }
        }
        for &to in DType::ALL {
            if crate::cast::cast("test", dtype, to).is_ok() {
                draft.operand(&order, &x, to, Asks::Call).unwrap();
            }
        }
        let value = draft.operand(&order, &x, dtype, Asks::Call).unwrap();
        let target = Target { address: 64, layout: None };
        let source = Source::new(&draft, &value, dtype, &[3, 5], Some(&target));
        compiles(&source.kernel("elementwise.cuh", "  elementwise<1, 1>(source, a.word[0]);\n"));
    }
}

/// Operands that lie otherwise than the result, or are one value.
#[test]
fn every_layout() {
    let (x, y) =
        (some(DType::Float32).matrix_transpose().unwrap(), some(DType::Int8).broadcast_to(&[2, 3, 5]).unwrap());
    let order = Order::of(&[2, 5, 3]);
    let y = y.matrix_transpose().unwrap();
    let (step, out) = binary_step(BinaryOp::Add, DType::Float32).unwrap();
    let mut draft = Draft::new("test");
    let value = draft.step(&order, step, &[&x, &y], out).unwrap();
    let layout = crate::Layout { shape: vec![2, 5, 3], strides: vec![100, -7, 2], offset: 40 };
    for target in [None, Some(&layout)] {
        let target = Target { address: 64, layout: target };
        let source = Source::new(&draft, &value, out, &[2, 5, 3], Some(&target));
        assert_eq!(source.pack, 1);
        compiles(&source.kernel("elementwise.cuh", "  elementwise<1, 4>(source, a.word[0]);\n"));
    }
}

/// Every rule of random numbers.
#[test]
fn every_rule() {
    let rules = crate::random::rules_on_gpus();
    assert_eq!(rules.iter().map(|rule| rule.type_name()).collect::<std::collections::BTreeSet<_>>().len(), 25);
    rules.iter().for_each(|rule| compiles(&super::random::text(rule)));
}

/// Every fold of every dtype, in both shapes.
#[test]
fn every_fold() {
    for (name, from, acc, to) in crate::reduce::kernels() {
        let order = Order::of(&[3, 5]);
        let mut draft = Draft::new("test");
        let value = draft.operand(&order, &some(from), from, Asks::Call).unwrap();
        let source = Source::new(&draft, &value, from, &[3, 5], None);
        let mut body = format!(
            "  using F = fold::{name}<{from}, {acc}>;\n  auto* const out = reinterpret_cast<{to}*>(a.word[0]);\n"
        );
        for (lanes, pack) in [(1, 1), (8, 1), (32, 1), (256, source.pack)] {
            body += &format!(
                "  fold::runs<F, {lanes}, {pack}>(source, 1, 1, 1, reinterpret_cast<F::Acc*>(a.word[1]), reinterpret_cast<uint32*>(a.word[0]), out);\n"
            );
        }
        body += &format!(
            "  fold::columns<F, {}>(source, 1, 1, 1, 1, 1, reinterpret_cast<F::Acc*>(a.word[1]), reinterpret_cast<uint32*>(a.word[0]), out);\n",
            source.pack
        );
        compiles(&source.kernel("fold.cuh", &body));
    }
}
