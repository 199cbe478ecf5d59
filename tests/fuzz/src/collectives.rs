// Calls on communicators: of one rank or two of a process, whose calls do not wait long.

use super::input::{Input, ROOM};
use icicle_c::error::Code;
use icicle_c::types::IcicleDevice;
use icicle_c::{comm::*, comm_ops::*, comm_types::*};
use std::ffi::c_void;
use std::ptr::{null, null_mut};

/// One call of any kind, rank `k` of those of a group: what is sent is of the device, what is received of the host, apart for
/// each.
fn request(i: &mut Input, k: usize) -> CommCall {
    let host = i.host.as_mut_ptr().cast::<u8>().wrapping_add(ROOM * k);
    CommCall {
        comm: i.handle(),
        operation: i32::from(i.byte() % 13),
        reduce: i32::from(i.byte() % 7),
        r#type: CommType {
            kind: i32::from(i.byte() % 4),
            number: if i.byte().is_multiple_of(2) { i32::from(i.byte() % 16) } else { i.field() },
        },
        count: i.size() as u64,
        peer: i.int(),
        send: if i.byte().is_multiple_of(16) { null() } else { i.live },
        recv: match i.byte() % 16 {
            0 => null_mut(),
            at => host.wrapping_add(usize::from(at % 3)).cast(),
        },
        stream: if i.byte().is_multiple_of(32) { i.live } else { null_mut() },
        ..icicle_comm_call_default()
    }
}

/// # Safety
/// As `super::call`.
pub unsafe fn call(i: &mut Input, out: &mut *mut c_void) -> Code {
    let mut devices = [IcicleDevice { device_type: [0; 64], id: 0 }; 2];
    for device in &mut devices {
        device.device_type[..3].copy_from_slice(&[67, 80, 85]);
        device.id = i32::from(i.byte() % 4);
    }
    let timeout = [0.001, 0.0, -1.0, f64::NAN, 1e300][(i.byte() as usize % 20).saturating_sub(15)];
    let config = CommConfig { timeout_seconds: timeout, ..icicle_comm_config_default() };
    let (comm, mut made, mut text, mut code) = (i.handle(), [null_mut(); 3], [0; 16], Code::Success);
    let mut id = CommId { bytes: [i.byte(); 128] };
    // SAFETY: outputs are locals of the lengths given; operands as `request` says; handles are the library's or refused.
    unsafe {
        match i.byte() % 16 {
            0..=4 => {
                let code = match i.byte() % 4 {
                    // Groups have three devices at most.
                    0 => icicle_comm_init_group(i.handle(), &config, made.as_mut_ptr()),
                    _ => icicle_comm_init_all(devices.as_ptr(), i.int().min(2), &config, made.as_mut_ptr()),
                };
                i.handles.extend(made.into_iter().filter(|made| !made.is_null()));
                code
            }
            5 => icicle_comm_split(comm, i.int(), i.int(), out),
            6 => icicle_comm_abort(comm),
            7 if i.byte().is_multiple_of(2) => icicle_comm_destroy(comm),
            7 => icicle_comm_finalize(comm),
            8 if i.byte().is_multiple_of(3) => icicle_comm_carrier(comm, text.as_mut_ptr(), i.byte() as usize % 17),
            8 => icicle_comm_failure(comm, &mut code, text.as_mut_ptr(), i.byte() as usize % 17),
            9 => match icicle_comm_id_create(null(), &mut id) {
                Code::Success if i.byte().is_multiple_of(2) => {
                    icicle_comm_init_rank(&id, i.int().min(2), i.int(), devices.as_ptr(), &config, out)
                }
                Code::Success => icicle_comm_id_release(&id),
                code => code,
            },
            10 => icicle_comm_init_rank(&id, i.int().min(2), i.int(), devices.as_ptr(), &config, out),
            11 => {
                let mut info = CommInfo { struct_size: i.byte() as usize, rank: 0, size: 0, device: devices[0] };
                icicle_comm_info(comm, &mut info)
            }
            12 => {
                let (comms, one) = ([comm, i.handle()], request(i, 0));
                let (count, op, reduce) = (i.int().min(2), one.operation, one.reduce);
                let vectors = (i.handle(), i.handle());
                icicle_comm_run_sharded(comms.as_ptr(), count, op, one.r#type, reduce, one.peer, vectors.0, vectors.1)
            }
            _ => {
                let calls = [request(i, 0), request(i, 1), request(i, 2)];
                icicle_comm_group(calls.as_ptr(), i.int().min(3))
            }
        }
    }
}
