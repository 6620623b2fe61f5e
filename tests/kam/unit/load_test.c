/* SPDX-License-Identifier: MIT */
/* Loading of a synthetic PE image; annotation of a synthetic result. */
#include <unistd.h>

#include "lib/crc32.h"
#include "lib/jsonl_write.h"
#include "tests/kam/image/load.h"
#include "tests/kam/image/annotate.h"
#include "tests/unit/test.h"

#define BASE 0x400000ull

static void put16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)v;
	at[1] = (uint8_t)(v >> 8);
}

static void put32(uint8_t *at, uint32_t v)
{
	put16(at, v);
	put16(at + 2, v >> 16);
}

static void section(uint8_t *at, const char *name, uint32_t memory, uint32_t address,
	uint32_t bytes, uint32_t offset)
{
	strncpy((char *)at, name, 8);
	put32(at + 8, memory);
	put32(at + 12, address);
	put32(at + 16, bytes);
	put32(at + 20, offset);
}

/*
 * Header 200h; .data at 1000h, 100h bytes of which 20h are in the file, with a word to relocate at
 * 1008h; .reloc at 2000h.
 */
static void make_image(uint8_t f[0x240])
{
	uint8_t *pe = f + 0x40, *optional = pe + 24;

	memset(f, 0, 0x240);
	memcpy(f, "MZ", 2);
	put32(f + 0x3c, 0x40);
	memcpy(pe, "PE\0", 4);
	put16(pe + 6, 2);
	put16(pe + 20, 160);
	put16(optional, 0x20b);
	put32(optional + 16, 0x1010);
	put32(optional + 24, 0x10000); /* the base it was linked for */
	put32(optional + 56, 0x3000);
	put32(optional + 60, 0x200);
	put32(optional + 108, 6);
	put32(optional + 152, 0x2000);
	put32(optional + 156, 12);
	section(optional + 160, ".data", 0x100, 0x1000, 0x20, 0x200);
	section(optional + 200, ".reloc", 12, 0x2000, 0x20, 0x220);
	memset(f + 0x200, 0x11, 0x20);
	put32(f + 0x208, 0x11234);
	put32(f + 0x20c, 0);
	put32(f + 0x220, 0x1000);
	put32(f + 0x224, 12);
	put16(f + 0x228, 10 << 12 | 8);
	put16(f + 0x22a, 0); /* filling */
}

TEST(test_load)
{
	char path[] = "/tmp/load-XXXXXX";
	int fd = mkstemp(path);
	uint8_t file[0x240], *to = malloc(0x3000);
	struct image im;
	uint64_t word;

	make_image(file);
	assert_int_equal(write(fd, file, sizeof(file)), sizeof(file));
	close(fd);
	image_read(&im, path);
	memset(to, 0xff, 0x3000);
	assert_int_equal(load_bytes(&im), 0x3000);
	assert_int_equal(load_image(&im, to, BASE), BASE + 0x1010);
	assert_memory_equal(to, "MZ", 2);
	memcpy(&word, to + 0x1008, 8);
	assert_int_equal(word, 0x11234 - 0x10000 + BASE);
	assert_int_equal(to[0x1007], 0x11);
	assert_int_equal(to[0x1010], 0x11);
	assert_int_equal(to[0x101f], 0x11);
	assert_int_equal(to[0x1020], 0); /* not in the file */
	assert_int_equal(to[0x200], 0);  /* behind the header */
	image_free(&im);
	free(to);
	unlink(path);
}

struct loaded_result {
	char text[4096];
	size_t used;
	uint32_t crc;
};

static void add(struct loaded_result *r, const char *kind, const char *key, const char *value)
{
	struct jsonl l;
	size_t n;

	jsonl_begin(&l, r->text + r->used, sizeof(r->text) - r->used);
	jsonl_string(&l, "kind", kind);
	if (key)
		jsonl_string(&l, key, value);
	if (!strcmp(kind, "end")) {
		char crc[9];

		snprintf(crc, sizeof(crc), "%08x", r->crc);
		jsonl_string(&l, "crc_all", crc);
	}
	n = jsonl_end(&l);
	r->crc = crc32_of(r->crc, r->text + r->used, n);
	r->used += n;
}

/* Returns annotate()'s result; *text: its output, which the caller frees. */
static int annotated(const char *from, size_t n, char **text, size_t *bytes)
{
	FILE *out = open_memstream(text, bytes);
	int code = annotate(from, n, "a \"machine\"", out);

	fclose(out);
	return code;
}

TEST(test_annotate)
{
	struct loaded_result r = { .used = 0 };
	char *once, *twice;
	size_t n, m;

	add(&r, "run", "room", "bare");
	add(&r, "row", "median", "1");
	add(&r, "end", "status", "complete");
	assert_int_equal(annotated(r.text, r.used, &once, &n), 0);
	assert_non_null(strstr(once,
		",\"known_answer\":{\"machine\":\"a \\\"machine\\\"\",\"layer\":\"b\"}"));
	assert_int_equal(n,
		r.used +
			strlen(",\"known_answer\":{\"machine\":\"a \\\"machine\\\"\","
			       "\"layer\":\"b\"}"));
	/* The output has valid CRCs: a wrong one would end the program. */
	assert_int_equal(annotated(once, n, &twice, &m), 0);
	free(once);
	free(twice);
	r.crc = 0; /* another run behind it */
	add(&r, "run", "room", "bare");
	add(&r, "end", "status", "complete");
	assert_int_equal(annotated(r.text, r.used, &once, &n), 0);
	assert_int_equal(annotated(once, n, &twice, &m), 0);
	free(once);
	free(twice);
}

TEST(test_annotate_reports_faults)
{
	struct loaded_result cut = { .used = 0 }, faulted = { .used = 0 }, proof = { .used = 0 };
	char *text;
	size_t n;

	assert_int_equal(annotated("", 0, &text, &n), -1);
	free(text);
	add(&cut, "run", "room", "bare");
	assert_int_equal(annotated(cut.text, cut.used, &text, &n), -1);
	free(text);
	add(&faulted, "run", "room", "bare");
	add(&faulted, "end", "status", "faulted");
	assert_int_equal(annotated(faulted.text, faulted.used, &text, &n), -1);
	free(text);
	add(&proof, "run", "room", "bare");
	add(&proof, "skip", "reason", "proof failed: the loop returned 1, plain C says 2");
	add(&proof, "end", "status", "complete");
	assert_int_equal(annotated(proof.text, proof.used, &text, &n), 1);
	free(text);
}
