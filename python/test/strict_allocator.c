// An allocator that takes back only what it has given: it ends the process
// otherwise. For LD_PRELOAD.

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void __libc_free(void *);

// Lies before every piece.
struct head {
  uint64_t mark;
  size_t size;
  void *whole;
  void *unused;
};

#define MARK UINT64_C(0x5354524943544C59)

static void *give(size_t size, size_t alignment) {
  if (alignment < 16)
    alignment = 16;
  char *whole = __libc_malloc(size + alignment + sizeof(struct head));
  if (!whole)
    return NULL;
  uintptr_t first = (uintptr_t)whole + sizeof(struct head);
  char *piece = (char *)((first + alignment - 1) / alignment * alignment);
  struct head *head = (struct head *)piece - 1;
  head->mark = MARK;
  head->size = size;
  head->whole = whole;
  return piece;
}

static struct head *head_of(void *piece) {
  struct head *head = (struct head *)piece - 1;
  if (head->mark != MARK) {
    static const char text[] =
        "strict allocator: this was given by another one\n";
    (void)!write(2, text, sizeof text - 1);
    _exit(99);
  }
  return head;
}

void *malloc(size_t size) { return give(size, 16); }

void free(void *piece) {
  if (!piece)
    return;
  struct head *head = head_of(piece);
  head->mark = 0;
  __libc_free(head->whole);
}

void *calloc(size_t count, size_t size) {
  void *piece = give(count * size, 16);
  return piece ? memset(piece, 0, count * size) : NULL;
}

void *realloc(void *piece, size_t size) {
  void *larger = give(size, 16);
  if (!piece || !larger)
    return larger;
  size_t known = head_of(piece)->size;
  memcpy(larger, piece, known < size ? known : size);
  free(piece);
  return larger;
}

void *memalign(size_t alignment, size_t size) { return give(size, alignment); }
void *aligned_alloc(size_t alignment, size_t size) {
  return give(size, alignment);
}
void *valloc(size_t size) { return give(size, 4096); }
size_t malloc_usable_size(void *piece) {
  return piece ? head_of(piece)->size : 0;
}

int posix_memalign(void **piece, size_t alignment, size_t size) {
  *piece = give(size, alignment);
  return *piece ? 0 : ENOMEM;
}
