//! Vectors over a group: what is scattered comes back, in every layout.

use super::{elements, groups};
use icicle::device::{Layout, Sharded};
use icicle::{Buffer, Device, DeviceGroup, FieldId};

#[test]
fn layouts_hold_every_element_where_they_say() {
    for group in groups() {
        let count = group.devices().len();
        for n in [0usize, 1, 2, 6, 7, 100, 4096, 4097] {
            let data: Vec<u64> = (0..n as u64).map(|i| i * i + 1).collect();
            for layout in Layout::ALL {
                let vector = Sharded::from_slice(&group, &data, layout).unwrap();
                assert_eq!((vector.len(), vector.element_bytes(), vector.layout()), (n, 8, layout));
                assert_eq!(vector.to_vec::<u64>(&group).unwrap(), data, "{layout:?} {n} on {count}");
                for (i, part) in vector.parts().iter().enumerate() {
                    assert_eq!(part.device(), group.devices()[i]);
                    let bytes = part.to_vec().unwrap();
                    let held: Vec<u64> = bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect();
                    let range = vector.ranges()[i].clone();
                    let expected: Vec<u64> = match layout {
                        Layout::Blocks => data[range].to_vec(),
                        Layout::Cyclic => data.iter().copied().skip(i).step_by(count).collect(),
                        Layout::Replicated => data.clone(),
                    };
                    assert_eq!(held, expected, "{layout:?} {n} device {i} of {count}");
                }
                for other in Layout::ALL {
                    let moved = vector.reshard(&group, other).unwrap();
                    assert_eq!((moved.layout(), moved.to_vec::<u64>(&group).unwrap()), (other, data.clone()));
                }
                let device = Buffer::from_slice_on(Device::cpu(0), &data).unwrap();
                let mut again = vector.like(&group, 8).unwrap();
                again.scatter(&group, (&device).into()).unwrap();
                let mut out = Buffer::<u64>::on(*group.devices().last().unwrap(), n).unwrap();
                again.gather(&group, (&mut out).into()).unwrap();
                assert_eq!(out.to_vec().unwrap(), data);
            }
        }
    }
}

#[test]
fn blocks_follow_the_shares_in_whole_pieces() {
    for group in groups() {
        let total: f64 = group.shares().iter().sum();
        let vector = Sharded::new(&group, 1 << 14, 4, Layout::Blocks).unwrap();
        for (range, share) in vector.ranges().iter().zip(group.shares()) {
            assert!(range.end.is_multiple_of(1 << 8), "{range:?}");
            assert!((range.len() as f64 - share / total * 16384.0).abs() <= 256.0, "{range:?} of share {share}");
        }
    }
}

#[test]
fn foreign_groups_and_wrong_lengths_are_named() {
    super::ready();
    let group = |count| DeviceGroup::new(&super::cpus(count)).unwrap();
    let (two, three) = (group(2), group(3));
    let data = elements(FieldId::Bn254Scalar, 8, 1);
    let mut vector = Sharded::from_slice(&two, &data, Layout::Blocks).unwrap();
    let detail = |result: icicle::Result<()>| result.unwrap_err().to_string();
    assert_eq!(
        detail(vector.gather(&three, (&mut data.clone()).into())),
        "sharded: vector on cpu:0, cpu:1: the group has cpu:0, cpu:1, cpu:2"
    );
    assert_eq!(
        detail(vector.scatter(&two, (&data[1..]).into())),
        "sharded: source holds 252 bytes: need 64 elements, 256 bytes"
    );
    assert_eq!(detail(vector.to_vec::<u64>(&two).map(|_| ())), "sharded: elements of 8 bytes: the vector's have 4");
    assert_eq!(
        detail(Sharded::new(&two, 1, 0, Layout::Blocks).map(|_| ())),
        "sharded: elements of 0 bytes: must be at least 1"
    );
    assert_eq!(
        detail(Sharded::new(&two, usize::MAX, 2, Layout::Cyclic).map(|_| ())),
        format!("sharded: vector of {} elements: exceeds the address space", usize::MAX)
    );
}
