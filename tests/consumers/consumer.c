/* A program against icicle.h: two vectors of BabyBear elements, added. */
#include <icicle.h>
#include <stdio.h>

int main(void) {
    uint32_t a[3] = {1, 2, 3}, b[3] = {10, 20, 2013265920}, sum[3];
    icicle_vec_ops_config_t config = icicle_vec_ops_config_default();
    icicle_error_t error = icicle_vector_add(ICICLE_FIELD_BABYBEAR, a, b, 3, &config, sum);
    if (error) {
        char message[256];
        icicle_last_error_message(message, sizeof message);
        puts(message);
        return 1;
    }
    printf("%u %u %u\n", sum[0], sum[1], sum[2]);
    return 0;
}
