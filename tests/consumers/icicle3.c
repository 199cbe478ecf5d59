/* A program as ICICLE 3's clients are: own declarations, ICICLE's names and layouts, no header of ours. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct { char type[64]; int32_t id; } Device;
typedef struct {
    void *stream;
    bool is_a_on_device, is_b_on_device, is_result_on_device, is_async;
    int batch_size;
    bool columns_batch;
    void *ext;
} VecOpsConfig;
typedef struct { uint32_t limbs[8]; } element;
typedef struct { element x, y, z; } projective;

int icicle_load_backend_from_env_or_default(void);
int icicle_set_device(const Device *device);
int babybear_vector_add(const uint32_t *a, const uint32_t *b, uint64_t n, const VecOpsConfig *config, uint32_t *out);
void bn254_generator(projective *out);
bool bn254_eq(projective *a, projective *b);

int main(void) {
    Device cpu = {"CPU", 0};
    if (icicle_load_backend_from_env_or_default() || icicle_set_device(&cpu)) return 1;
    projective g;
    bn254_generator(&g);
    projective none = {0};
    if (!bn254_eq(&g, &g) || bn254_eq(&none, &none)) return 2;
    uint32_t a[3] = {1, 2, 3}, b[3] = {10, 20, 2013265920}, sum[3] = {0};
    VecOpsConfig config = {.batch_size = 1};
    if (babybear_vector_add(a, b, 3, &config, sum)) return 3;
    printf("%u %u %u\n", sum[0], sum[1], sum[2]);
    return 0;
}
