/* Load a library of ICICLE's name at run time and call into it. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

typedef void (*binary)(uint32_t *, uint32_t *, uint32_t *);

int main(int argc, char **argv) {
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) return 1;
    binary add;
    *(void **)&add = dlsym(library, "babybear_add");
    if (!add) return 2;
    uint32_t a[3] = {1, 2, 3}, b[3] = {10, 20, 2013265920}, sum[3];
    for (int i = 0; i < 3; i++) add(&a[i], &b[i], &sum[i]);
    printf("%u %u %u\n", sum[0], sum[1], sum[2]);
    return 0;
}
