/* Collectives from C: one thread for both ranks of a process, and processes that meet by an id. */
#include "check.h"
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 4 };

static const icicle_comm_type_t INT32 = {ICICLE_COMM_NUMBERS, ICICLE_DTYPE_INT32};

/* What a process does that was started with a rank and an id in hexadecimal. */
static int rank_of_three(int rank, const char *hex) {
  icicle_comm_id_t id;
  for (int i = 0; i < 128; i++) {
    unsigned byte;
    CHECK(sscanf(hex + 2 * i, "%2x", &byte) == 1);
    id.bytes[i] = (uint8_t)byte;
  }
  icicle_comm_config_t config = icicle_comm_config_default();
  config.timeout_seconds = 60;
  void *comm = NULL;
  OK(icicle_comm_init_rank(&id, 3, rank, NULL, &config, &comm));
  int32_t x[N], all[3 * N];
  for (int i = 0; i < N; i++) x[i] = (rank + 1) * (i + 1);
  OK(icicle_comm_all_gather(comm, INT32, N, x, all, NULL));
  OK(icicle_comm_all_reduce(comm, INT32, ICICLE_REDUCE_SUM, N, x, x, NULL));
  for (int i = 0; i < N; i++) {
    CHECK(x[i] == 6 * (i + 1));
    for (int k = 0; k < 3; k++) CHECK(all[k * N + i] == (k + 1) * (i + 1));
  }
  OK(icicle_comm_finalize(comm));
  return 0;
}

static void processes(char *program) {
  icicle_comm_id_t id;
  OK(icicle_comm_id_create(NULL, &id));
  char hex[257], rank[2] = "1";
  for (int i = 0; i < 128; i++) sprintf(hex + 2 * i, "%02x", id.bytes[i]);
  pid_t started[2];
  for (int k = 0; k < 2; k++) {
    rank[0] = (char)('1' + k);
    char *arguments[] = {program, rank, hex, NULL};
    started[k] = fork();
    CHECK(started[k] >= 0);
    if (!started[k]) {
      execv(program, arguments);
      _exit(127);
    }
  }
  CHECK(!rank_of_three(0, hex));
  for (int k = 0; k < 2; k++) {
    int status = 0;
    CHECK(waitpid(started[k], &status, 0) == started[k] && WIFEXITED(status) && !WEXITSTATUS(status));
  }
}

int main(int argc, char **argv) {
  if (argc == 3) return rank_of_three(atoi(argv[1]), argv[2]);
  icicle_device_t devices[2] = {cpu_device(0), cpu_device(0)};
  icicle_comm_config_t config = icicle_comm_config_default();
  CHECK(config.struct_size == sizeof config && config.timeout_seconds == 300);
  config.timeout_seconds = 0.2;
  void *comms[2];
  OK(icicle_comm_init_all(devices, 2, &config, comms));

  int32_t send[2][N] = {{1, 2, 3, 4}, {10, 20, 30, 40}}, sum[2][N], part[2][N / 2], swapped[2][N];
  icicle_comm_call_t calls[8];
  for (int rank = 0; rank < 2; rank++) {
    icicle_comm_call_t call = icicle_comm_call_default();
    call.comm = comms[rank];
    call.type = INT32;
    call.count = N;
    call.send = send[rank];
    call.operation = ICICLE_COMM_ALL_REDUCE;
    call.recv = sum[rank];
    calls[4 * rank] = call;
    call.operation = ICICLE_COMM_REDUCE_SCATTER;
    call.reduce = ICICLE_REDUCE_MAX;
    call.count = N / 2;
    call.recv = part[rank];
    calls[4 * rank + 1] = call;
    call.operation = ICICLE_COMM_SEND;
    call.peer = 1 - rank;
    call.count = N;
    calls[4 * rank + 2] = call;
    call.operation = ICICLE_COMM_RECV;
    call.recv = swapped[rank];
    calls[4 * rank + 3] = call;
  }
  OK(icicle_comm_group(calls, 8));
  for (int rank = 0; rank < 2; rank++) {
    for (int i = 0; i < N; i++) {
      CHECK(sum[rank][i] == 11 * (i + 1));
      CHECK(swapped[rank][i] == send[1 - rank][i]);
    }
    for (int i = 0; i < N / 2; i++) CHECK(part[rank][i] == send[1][rank * N / 2 + i]);
  }

  icicle_comm_info_t info;
  info.struct_size = sizeof info;
  OK(icicle_comm_info(comms[1], &info));
  CHECK(info.rank == 1 && info.size == 2 && !strcmp(info.device.device_type, "CPU") && info.device.id == 0);

  char carrier[64], cut[5];
  OK(icicle_comm_carrier(comms[0], carrier, sizeof carrier));
  OK(icicle_comm_carrier(comms[0], cut, sizeof cut));
  CHECK(!strcmp(carrier, "host memory") && !strcmp(cut, "host"));

  /* 65 TIMEOUT, which stays; 66 REMOTE_ERROR */
  FAILS(icicle_comm_barrier(comms[0], NULL), ICICLE_TIMEOUT, "barrier: timed out waiting for ranks [1]");
  FAILS(icicle_comm_barrier(comms[1], NULL), ICICLE_TIMEOUT, "barrier: timed out");
  icicle_error_t failure = ICICLE_SUCCESS;
  char text[8];
  OK(icicle_comm_failure(comms[1], &failure, text, sizeof text));
  CHECK(failure == ICICLE_TIMEOUT && !strcmp(text, "barrier"));
  OK(icicle_comm_destroy(comms[0]));
  OK(icicle_comm_destroy(comms[1]));
  OK(icicle_comm_init_all(devices, 2, &config, comms));
  OK(icicle_comm_destroy(comms[0]));
  FAILS(icicle_comm_barrier(comms[1], NULL), ICICLE_REMOTE_ERROR, "rank 0 left");
  FAILS(icicle_comm_barrier(comms[0], NULL), ICICLE_INVALID_POINTER, "freed already");
  OK(icicle_comm_destroy(comms[1]));
  CHECK(!strcmp(icicle_error_name(65), "TIMEOUT") && !strcmp(icicle_error_name(66), "REMOTE_ERROR"));

  processes(argv[0]);
  puts("comm: ok");
  return 0;
}
