//! Groups of devices: what is divided among four virtual devices, each with a thread of its own, whose memory is refused, too.
//!
//! Where one device fails others may have written their parts: outputs are copied from what a call wrote once it succeeded.

use crate::operation::{Operation, elements, kept, points, poison, words};
use icicle::device::{Cancel, Layout, MapOptions, Sharded};
use icicle::ops::group as over;
use icicle::ops::msm::MsmConfig;
use icicle::ops::ntt::{Direction, NttConfig, Ordering, root_of_unity};
use icicle::ops::program::{Predefined, Program};
use icicle::ops::vector::{Binary, Reduce};
use icicle::{CurveId, Device, DeviceGroup, FieldId, Result};
use icicle_comm::{Communicator, Kind, Options, ReduceOp, run_sharded};

const FIELD: FieldId = FieldId::BabyBearScalar;
const CURVE: CurveId = CurveId::Bn254;
const DEVICES: u32 = 4;
/// As many as there are.
const MANY: u32 = 32;
const N: usize = 1 << 14;

fn make(devices: u32) -> Result<DeviceGroup> {
    let shares: Vec<f64> = (0..devices).map(|i| [1.0, 2.0, 1.0, 4.0][i as usize % 4]).collect();
    let devices: Vec<Device> = (0..devices).map(Device::cpu).collect();
    DeviceGroup::new(&devices)?.with_shares(&shares)
}

fn group() -> &'static DeviceGroup {
    kept(make(DEVICES).unwrap())
}

/// An operation over a group with an output of so many words.
fn over_group<F>(
    name: impl Into<String>,
    words: usize,
    prepare: impl Fn(&'static DeviceGroup) -> F + Send + Sync + 'static,
) -> Operation
where
    F: FnMut(&mut [u32]) -> Result<()> + 'static,
{
    Operation::one(name, move || {
        let mut run = prepare(group());
        (poison(words), move |out: &mut Vec<u32>| {
            let mut written = crate::unrefused(|| poison(words));
            run(&mut written)?;
            out.copy_from_slice(&written);
            Ok(())
        })
    })
}

fn sharded(group: &DeviceGroup, data: &[u32], bytes: usize, layout: Layout) -> Sharded {
    let mut vector = Sharded::new(group, data.len() * 4 / bytes, bytes, layout).unwrap();
    vector.scatter(group, data.into()).unwrap();
    vector
}

pub fn operations() -> Vec<Operation> {
    let mut all = jobs();
    all.extend(moved());
    all.extend(vectors());
    all.extend(multiplications());
    all.extend(transforms());
    all
}

/// Groups themselves, and jobs.
fn jobs() -> Vec<Operation> {
    vec![
        Operation::one("group made", || {
            (poison(1), |out: &mut Vec<u32>| {
                let answers = make(DEVICES)?.on_each(|_, position| Ok(position as u32));
                out[0] = answers.into_iter().sum::<Result<u32>>()?;
                Ok(())
            })
        }),
        over_group("group map", 2000, |group| {
            |out: &mut [u32]| {
                let (cancel, progress) = (Cancel::default(), |_, _| ());
                let options = MapOptions { streams: 2, progress: Some(&progress), cancel: Some(&cancel) };
                let jobs = 0..out.len() as u32;
                let answers = group.map_with(options, |_| Ok(7u32), jobs, |seven, _, i| Ok(i + *seven))?;
                answers.into_iter().zip(out).try_for_each(|(answer, to)| {
                    *to = answer?;
                    Ok(())
                })
            }
        }),
        over_group("group map of jobs that allocate", 8, |group| {
            |out: &mut [u32]| {
                let answers = group.map(0..out.len() as u32, |lane, i| {
                    let data = icicle_error::reserve::filled("job", 5000, i)?;
                    icicle::Buffer::from_slice_on(lane.device, &data)?.to_vec().map(|data| data[4999])
                })?;
                answers.into_iter().zip(out).try_for_each(|(answer, to)| {
                    *to = answer?;
                    Ok(())
                })
            }
        }),
        over_group("group submit", 100, |group| {
            |out: &mut [u32]| {
                let handles = (0..out.len()).map(|i| group.submit(i % DEVICES as usize, move || Ok(i as u32)));
                let handles = crate::unrefused(|| handles.collect::<Result<Vec<_>>>())?;
                handles.into_iter().zip(out).try_for_each(|(handle, to)| {
                    *to = handle.wait()?;
                    Ok(())
                })
            }
        }),
    ]
}

/// Vectors that come, go, and lie otherwise.
fn moved() -> Vec<Operation> {
    let mut all = Vec::new();
    for layout in Layout::ALL {
        all.push(over_group(format!("group scatter and gather, {}", layout.name()), N, move |group| {
            let data = elements(FIELD, N, 1);
            move |out: &mut [u32]| Sharded::from_slice(group, &data, layout)?.gather(group, out.into())
        }));
        all.push(over_group(format!("group vector to the host, {}", layout.name()), N, move |group| {
            let vector = sharded(group, &elements(FIELD, N, 1), 4, layout);
            move |out: &mut [u32]| {
                out.copy_from_slice(&vector.to_vec::<u32>(group)?);
                Ok(())
            }
        }));
        for to in Layout::ALL {
            let name = format!("group reshard from {} to {}", layout.name(), to.name());
            all.push(over_group(name, N, move |group| {
                let vector = sharded(group, &elements(FIELD, N, 1), 4, layout);
                move |out: &mut [u32]| {
                    let moved = vector.reshard(group, to)?;
                    crate::unrefused(|| moved.gather(group, out.into()))
                }
            }));
        }
    }
    // The ranks of another communicator after each failure, as of one whose call failed.
    all.push(over_group("group run_sharded", N, |group| {
        let data = elements(FIELD, N, 1);
        move |out: &mut [u32]| {
            let ranks = crate::unrefused(|| Communicator::init_group(group, &Options::default()))?;
            let mut vector = crate::unrefused(|| sharded(group, &data, 4, Layout::Replicated));
            run_sharded(&ranks, Kind::AllReduce, FIELD, ReduceOp::Sum, 0, None, &mut vector)?;
            crate::unrefused(|| vector.gather(group, out.into()))
        }
    }));
    all
}

/// Elementwise operations, reductions, programs and evaluations.
fn vectors() -> Vec<Operation> {
    let mut all = vec![
        over_group("group vector product of the host's", N, |group| {
            let data = elements(FIELD, N, 1);
            move |out: &mut [u32]| over::binary(group, Binary::Mul, FIELD, N, &data, &data, out)
        }),
        over_group("group evaluation", 100, |group| {
            let (data, points) = (elements(FIELD, N, 1), elements(FIELD, 100, 2));
            let vector = sharded(group, &data, 4, Layout::Blocks);
            move |out: &mut [u32]| over::evaluate(group, FIELD, N, &vector, 100, (&points).into(), out.into())
        }),
        over_group("group program", N, |group| {
            let data = elements(FIELD, N, 1);
            let [mut a, mut b, mut c, mut d] = [(); 4].map(|()| sharded(group, &data, 4, Layout::Blocks));
            let program = Program::predefined(Predefined::AbMinusC);
            move |out: &mut [u32]| {
                over::execute(group, FIELD, &program, &mut [&mut a, &mut b, &mut c, &mut d])?;
                crate::unrefused(|| d.gather(group, out.into()))
            }
        }),
    ];
    for layout in Layout::ALL {
        all.push(over_group(format!("group vector quotient, {}", layout.name()), N, move |group| {
            let vector = sharded(group, &elements(FIELD, N, 1), 4, layout);
            let mut result = vector.like(group, 4).unwrap();
            move |out: &mut [u32]| {
                over::binary(group, Binary::Div, FIELD, N, &vector, &vector, &mut result)?;
                over::scalar(group, Binary::Mul, FIELD, N, [3u32][..].into(), &vector, &mut result)?;
                over::inv(group, FIELD, N, &vector, &mut result)?;
                crate::unrefused(|| result.gather(group, out.into()))
            }
        }));
        all.push(over_group(format!("group sum and product, {}", layout.name()), 2, move |group| {
            let vector = sharded(group, &elements(FIELD, N, 1), 4, layout);
            move |out: &mut [u32]| {
                let (sum, product) = out.split_at_mut(1);
                over::reduce(group, Reduce::Sum, FIELD, N, &vector, sum.into())?;
                over::reduce(group, Reduce::Product, FIELD, N, &vector, product.into())
            }
        }));
    }
    all
}

fn multiplications() -> Vec<Operation> {
    const POINTS: usize = 1000;
    let (scalar_bytes, point_bytes) = (4 * words(FieldId::Bn254Scalar), 8 * words(CURVE.info().base));
    let sum = 3 * words(CURVE.info().base);
    let mut all = vec![
        over_group("group MSM of the host's", sum, |group| {
            let (scalars, bases) = (elements(FieldId::Bn254Scalar, POINTS, 1), points(CURVE, POINTS, true));
            move |out: &mut [u32]| over::msm(group, CURVE, POINTS, &scalars, &bases, &MsmConfig::default(), out.into())
        }),
        over_group("group MSM in batches", 12 * sum, |group| {
            let (scalars, bases) = (elements(FieldId::Bn254Scalar, 12 * 100, 1), points(CURVE, 100, true));
            let config = MsmConfig { batch: 12, ..MsmConfig::default() };
            move |out: &mut [u32]| over::msm(group, CURVE, 100, &scalars, &bases, &config, out.into())
        }),
        over_group("group precomputation of sharded bases", sum, move |group| {
            let bases = sharded(group, &points(CURVE, POINTS, true), point_bytes, Layout::Blocks);
            let scalars = sharded(group, &elements(FieldId::Bn254Scalar, POINTS, 1), scalar_bytes, Layout::Blocks);
            let config = MsmConfig { precompute_factor: 3, ..MsmConfig::default() };
            move |out: &mut [u32]| {
                let mut wide = bases.like(group, 3 * point_bytes)?;
                over::precompute(group, CURVE, POINTS, &bases, &config, &mut wide)?;
                over::msm(group, CURVE, POINTS, &scalars, &wide, &config, out.into())
            }
        }),
    ];
    for layout in Layout::ALL {
        all.push(over_group(format!("group MSM of sharded vectors, {}", layout.name()), sum, move |group| {
            let scalars = sharded(group, &elements(FieldId::Bn254Scalar, POINTS, 1), scalar_bytes, layout);
            let bases = sharded(group, &points(CURVE, POINTS, true), point_bytes, layout);
            move |out: &mut [u32]| over::msm(group, CURVE, POINTS, &scalars, &bases, &MsmConfig::default(), out.into())
        }));
    }
    all
}

fn transforms() -> Vec<Operation> {
    let domain =
        |group: &DeviceGroup| over::init_domain(group, FIELD, root_of_unity(FIELD, N as u64).unwrap()).unwrap();
    let mut all = vec![
        Operation::one("group domains", || {
            let group = group();
            let root = root_of_unity(FIELD, N as u64).unwrap();
            (poison(1), move |out: &mut Vec<u32>| {
                over::init_domain(group, FIELD, root)?;
                out[0] = 1;
                crate::unrefused(|| over::release_domain(group, FIELD))
            })
        }),
        over_group("group NTT in batches", N, move |group| {
            domain(group);
            let data = elements(FIELD, N, 1);
            let config = NttConfig { batch: 16, ..NttConfig::default() };
            move |out: &mut [u32]| over::ntt(group, FIELD, N / 16, Direction::Forward, &config, &data, out)
        }),
        over_group("group NTT of columns", N, move |group| {
            domain(group);
            let data = elements(FIELD, N, 1);
            let config = NttConfig { batch: 16, columns: true, ..NttConfig::default() };
            move |out: &mut [u32]| over::ntt(group, FIELD, N / 16, Direction::Forward, &config, &data, out)
        }),
    ];
    // Of many devices lists of pieces are long, longer than the pieces.
    for (direction, ordering, devices, n) in [
        (Direction::Forward, Ordering::NaturalNatural, DEVICES, N),
        (Direction::Inverse, Ordering::ReversedNatural, DEVICES, N),
        (Direction::Forward, Ordering::ReversedReversed, MANY, N / 4),
        (Direction::Inverse, Ordering::NaturalReversed, MANY, N / 4),
    ] {
        all.push(over_group(format!("group NTT, {direction:?} {ordering:?}"), n, move |_| {
            let group = kept(make(devices).unwrap());
            domain(group);
            let data = elements(FIELD, n, 1);
            let vector = sharded(group, &data, 4, Layout::Blocks);
            let mut result = vector.like(group, 4).unwrap();
            let config = NttConfig { ordering, ..NttConfig::default() };
            move |out: &mut [u32]| {
                over::ntt(group, FIELD, n, direction, &config, &data, &mut *out)?;
                over::ntt(group, FIELD, n, direction, &config, &vector, &mut result)?;
                let there = crate::unrefused(|| result.to_vec::<u32>(group))?;
                assert!(there == *out, "sharded as of the host");
                Ok(())
            }
        }));
    }
    all
}
