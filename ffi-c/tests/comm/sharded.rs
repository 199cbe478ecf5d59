//! Collectives over vectors that lie on the devices of a group.

use super::*;
use icicle_c::sharded::{icicle_sharded_create, icicle_sharded_free, icicle_sharded_gather, icicle_sharded_scatter};

const BLOCKS: i32 = 0;
const REPLICATED: i32 = 2;

fn vector(group: *mut c_void, layout: i32, values: &[i64]) -> *mut c_void {
    let mut made = null_mut();
    ok(unsafe { icicle_sharded_create(group, values.len() as i64, 8, layout, &mut made) });
    ok(unsafe { icicle_sharded_scatter(group, values.as_ptr().cast(), made) });
    made
}

#[test]
fn collectives_of_vectors_over_a_group() {
    let (group, ranks) = over_group(2);
    let run = |operation, reduce, root, send, recv| unsafe {
        icicle_comm_run_sharded(ranks.as_ptr(), 2, operation, numbers(INT64), reduce, root, send, recv)
    };
    let is = |vector, expected: &[i64]| {
        let mut got = vec![-1i64; expected.len()];
        ok(unsafe { icicle_sharded_gather(group, vector, got.as_mut_ptr().cast()) });
        assert_eq!(got, expected);
    };
    let (sum, none) = (ICICLE_REDUCE_SUM, null_mut());
    let (x, y) = (vector(group, BLOCKS, &[1, 2, 3, 4]), vector(group, BLOCKS, &[0; 4]));
    let all = vector(group, REPLICATED, &[0; 4]);
    ok(run(ICICLE_COMM_ALL_REDUCE, ICICLE_REDUCE_PROD, 0, x, y));
    is(y, &[3, 8, 3, 8]);
    ok(run(ICICLE_COMM_ALL_GATHER, sum, 0, x, all));
    is(all, &[1, 2, 3, 4]);
    ok(run(ICICLE_COMM_REDUCE_SCATTER, sum, 0, all, y));
    is(y, &[2, 4, 6, 8]);
    ok(run(ICICLE_COMM_ALL_TO_ALL, sum, 0, x, y));
    is(y, &[1, 3, 2, 4]);
    for both in [none, y] {
        ok(run(ICICLE_COMM_REDUCE, ICICLE_REDUCE_MAX, 1, both, y));
    }
    is(y, &[1, 3, 2, 4]);
    ok(run(ICICLE_COMM_BROADCAST, sum, 1, y, y));
    is(y, &[2, 4, 2, 4]);

    let c = ranks.as_ptr();
    let t = numbers(INT64);
    fails(run(ICICLE_COMM_BARRIER, sum, 0, x, y), Code::InvalidArgument, "barrier: takes no vectors");
    fails(run(77, sum, 0, x, y), Code::InvalidArgument, "operation 77");
    fails(run(ICICLE_COMM_BROADCAST, sum, -1, x, y), Code::InvalidArgument, "root -1");
    fails(run(ICICLE_COMM_ALL_REDUCE, 9, 0, x, y), Code::InvalidArgument, "reduce 9");
    fails(run(ICICLE_COMM_ALL_GATHER, sum, 0, x, y), Code::InvalidArgument, "must be blocks and replicated");
    fails(run(ICICLE_COMM_ALL_REDUCE, sum, 0, x, none), Code::InvalidPointer, "sharded vector is null");
    fails(run(ICICLE_COMM_ALL_REDUCE, sum, 0, group, y), Code::InvalidPointer, "freed already, or never one");
    let wrong = |comms, count, code, text| {
        let done = unsafe { icicle_comm_run_sharded(comms, count, ICICLE_COMM_ALL_REDUCE, t, sum, 0, x, y) };
        fails(done, code, text);
    };
    wrong(c, 1, Code::InvalidArgument, "rank 0 of 2");
    wrong(c, 0, Code::InvalidArgument, "count 0");
    wrong(null(), 2, Code::InvalidPointer, "comms is null");
    wrong([none, none].as_ptr(), 2, Code::InvalidPointer, "communicator is null");
    is(y, &[2, 4, 2, 4]);

    [x, y, all].into_iter().for_each(|vector| ok(icicle_sharded_free(vector)));
    destroy(ranks.iter().map(|comm| comm.addr()).collect());
    ok(icicle_group_destroy(group));
}
