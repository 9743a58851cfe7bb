/* Memory where kernels run: the only part of a test program that differs
   between a CPU (device_cpu.c) and a GPU (device_cuda.c). */
#ifndef DEVICE_H
#define DEVICE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the device current on this thread; ends the program if there is none.
 */
void device_open(void);

/* Memory with a copy of `host`. */
unsigned long long device_copy(const void *host, size_t bytes);

/* Waits for all launches, reads the memory and frees it. */
void device_take(void *host, unsigned long long memory, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
