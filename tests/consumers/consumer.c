/* A program against icicle.h: two vectors of BabyBear elements, added. */
#include <icicle.h>
#include <stdio.h>

int main(void) {
    uint32_t a[3] = {1, 2, 3}, b[3] = {10, 20, 2013265920}, sum[3];
    VecOpsConfig config = icicle_vec_ops_config_default();
    eIcicleError error = icicle_vector_add(ICICLE_BABYBEAR, a, b, 3, &config, sum);
    if (error) {
        puts(icicle_last_error_message());
        return 1;
    }
    printf("%u %u %u\n", sum[0], sum[1], sum[2]);
    return 0;
}
