// NVRTC that compiles nothing: fake_driver.c takes every kernel for the one that reduces bytes of all ranks.
#include <stddef.h>

int nvrtcCreateProgram(void **out, const char *source, const char *name, int n, const char **headers, const char **names)
{ (void)source, (void)name, (void)n, (void)headers, (void)names; static int program; return *out = &program, 0; }
int nvrtcDestroyProgram(void **program) { return *program = NULL, 0; }
int nvrtcCompileProgram(void *program, int n, const char **options) { (void)program, (void)n, (void)options; return 0; }
int nvrtcGetProgramLogSize(void *program, size_t *out) { (void)program; return *out = 1, 0; }
int nvrtcGetProgramLog(void *program, char *out) { (void)program; return *out = 0, 0; }
int nvrtcGetCUBINSize(void *program, size_t *out) { (void)program; return *out = 8, 0; }
int nvrtcGetCUBIN(void *program, char *out) { (void)program; for (int i = 0; i < 8; ++i) out[i] = "\177ELFfake"[i]; return 0; }
const char *nvrtcGetErrorString(int code) { (void)code; return "none"; }
