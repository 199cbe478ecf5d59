//! Ranks on GPUs in processes of their own: this test binary starts itself, to do one of the jobs below.

use super::common::{every_operation, options, sum};
use super::gpus;
use icicle_array::DType;
use icicle_comm::{Call, Communicator, ReduceOp, UniqueId};
use icicle_device::Device;
use icicle_error::{ErrorCode, Result};
use icicle_params::FieldId;
use icicle_runtime::{Buffer, Stream};
use std::env;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// What a process is told.
const JOB: &str = "ICICLE_COMM_TEST_JOB";
const ID: &str = "ICICLE_COMM_TEST_ID";
const RANK: &str = "ICICLE_COMM_TEST_RANK";

/// As many GPUs, if there are with NCCL to carry between their processes.
fn several() -> Vec<Device> {
    let gpus = gpus();
    match gpus.len() > 1 && icicle_cuda::nccl::unavailable().is_none() {
        true => gpus,
        false => {
            println!("skipped: {} GPUs, NCCL {:?}", gpus.len(), icicle_cuda::nccl::version());
            Vec::new()
        }
    }
}

fn start(job: &str, rank: usize, id: &UniqueId) -> Child {
    let hex: String = id.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "processes::child", "--nocapture", "--test-threads=1"]);
    command.env(JOB, job).env(ID, hex).env(RANK, rank.to_string()).spawn().unwrap()
}

fn operations(comm: &Communicator) -> Result<()> {
    for n in [0, 1, 257, 70_001] {
        for t in [DType::UInt8, DType::Int32, DType::Int16, DType::UInt64] {
            every_operation(comm, t.into(), n)?;
        }
        every_operation(comm, FieldId::BabyBearScalar.into(), n)?;
    }
    assert!(comm.carrier().starts_with("NCCL"), "{}", comm.carrier());
    super::ordered_by_streams(comm)?;
    let part = comm.split(Some(0), 0)?.unwrap();
    assert_eq!(sum(&part, 2)?, 2 * comm.size() as i64);
    Ok(())
}

/// Long work on a stream, again and again, until communication fails.
fn until_it_fails(comm: &Communicator) -> icicle_error::Error {
    const N: usize = 32 << 20;
    let stream = Stream::non_blocking(comm.device()).unwrap();
    let send = Buffer::<f32>::zeroed_on(comm.device(), N).unwrap();
    let mut recv = Buffer::<f32>::zeroed_on(comm.device(), N).unwrap();
    for round in 0u64.. {
        let call = Call::all_reduce(DType::Float32, ReduceOp::Sum, N, (&send).into(), (&mut recv).into());
        if let Err(error) = comm.run(call.on(stream.as_ref())) {
            return error;
        }
        if round % 16 == 15
            && let Err(error) = stream.synchronize()
        {
            return error;
        }
    }
    unreachable!()
}

/// What a started process does; nothing where no job is told.
#[test]
fn child() {
    let Ok(job) = env::var(JOB) else { return };
    let hex = env::var(ID).unwrap();
    let bytes: Vec<u8> = (0..128).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect();
    let id = UniqueId::from_bytes(&bytes.try_into().unwrap()).unwrap();
    let (rank, gpus) = (env::var(RANK).unwrap().parse::<usize>().unwrap(), gpus());
    let comm = Communicator::init_rank(&id, gpus.len(), rank, gpus[rank], &options(60.0)).unwrap();
    match &*job {
        "operations" => {
            operations(&comm).unwrap();
            comm.finalize().unwrap();
        }
        "killed" => {
            until_it_fails(&comm);
        }
        "late" => {
            assert_eq!(sum(&comm, 1).unwrap(), gpus.len() as i64);
            std::thread::sleep(Duration::from_secs(30));
        }
        _ => panic!("no job {job}"),
    }
}

#[test]
fn processes_work_together() {
    let gpus = several();
    if gpus.is_empty() {
        return;
    }
    let id = UniqueId::new().unwrap();
    let children: Vec<Child> = (1..gpus.len()).map(|rank| start("operations", rank, &id)).collect();
    let comm = Communicator::init_rank(&id, gpus.len(), 0, gpus[0], &options(60.0)).unwrap();
    operations(&comm).unwrap();
    comm.finalize().unwrap();
    children.into_iter().for_each(|mut child| assert!(child.wait().unwrap().success()));
}

/// In the middle of work on the device, which would wait for it for ever.
#[test]
fn a_killed_process_is_named() {
    let gpus = several();
    if gpus.is_empty() {
        return;
    }
    let id = UniqueId::new().unwrap();
    let mut children: Vec<Child> = (1..gpus.len()).map(|rank| start("killed", rank, &id)).collect();
    let comm = Communicator::init_rank(&id, gpus.len(), 0, gpus[0], &options(60.0)).unwrap();
    let mut last = children.pop().unwrap();
    let begin = std::thread::scope(|scope| {
        let killer = scope.spawn(move || {
            std::thread::sleep(Duration::from_secs(3));
            last.kill().unwrap();
            last.wait().unwrap();
            Instant::now()
        });
        let error = until_it_fails(&comm);
        assert_eq!(error.code, ErrorCode::RemoteError, "{error}");
        assert!(error.detail.contains("rank "), "{error}");
        killer.join().unwrap()
    });
    assert!(begin.elapsed() < Duration::from_secs(20), "not by the timeout");
    assert!(comm.failure().is_some());
    for mut child in children {
        let _ = child.kill();
        child.wait().unwrap();
    }
    // The device works on.
    assert_eq!(Buffer::from_slice_on(gpus[0], &[7u32; 4]).unwrap().to_vec().unwrap(), [7; 4]);
}

#[test]
fn ranks_that_do_not_come_are_named() {
    let gpus = several();
    if gpus.is_empty() {
        return;
    }
    let id = UniqueId::new().unwrap();
    let mut children: Vec<Child> = (1..gpus.len()).map(|rank| start("late", rank, &id)).collect();
    let comm = Communicator::init_rank(&id, gpus.len(), 0, gpus[0], &options(5.0)).unwrap();
    assert_eq!(sum(&comm, 1).unwrap(), gpus.len() as i64);
    let begin = Instant::now();
    let error = sum(&comm, 1).unwrap_err();
    assert_eq!(error.code, ErrorCode::Timeout, "{error}");
    assert!(error.detail.contains("[1"), "{error}");
    assert!(begin.elapsed() < Duration::from_secs(15));
    for child in &mut children {
        let _ = child.kill();
        child.wait().unwrap();
    }
}
