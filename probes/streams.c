/* SPDX-License-Identifier: MIT */
#include "probes/streams.h"

#include "engine/bench.h"

#define WIDTH(bits, needs, words_read, words_write, ...)                                           \
	{                                                                                          \
		bits, needs, loop_read_##bits, loop_write_##bits, loop_write_nt_##bits,            \
			loop_copy_##bits, loop_random_read_##bits, loop_random_write_##bits,       \
			words_read, words_write, __VA_ARGS__                                       \
	}
#define NARROW                                                                                     \
	{ NULL },                                                                                  \
	{                                                                                          \
		{                                                                                  \
			NULL                                                                       \
		}                                                                                  \
	}
#define WIDE(bits)                                                                                 \
	{ loop_mix_3_1_##bits, loop_mix_2_1_##bits, loop_mix_1_1_##bits },                         \
	{                                                                                          \
		[TURN_READ] = { loop_turn8_read_##bits, loop_turn8_read_ahead_##bits,              \
			loop_turn2_read_##bits },                                                  \
		[TURN_WRITE] = { loop_turn8_write_##bits, NULL, loop_turn2_write_##bits },         \
		[TURN_WRITE_NT] = { loop_turn8_write_nt_##bits },                                  \
		[TURN_COPY] = { loop_turn8_copy_##bits, loop_turn8_copy_ahead_##bits,              \
			loop_turn2_copy_##bits },                                                  \
		[TURN_COPY_NT] = { loop_turn8_copy_nt_##bits, loop_turn8_copy_nt_ahead_##bits,     \
			NULL },                                                                    \
	}

const struct width widths[WIDTHS] = {
	WIDTH(32, 0, loop_words_read_32, loop_words_write_32, NARROW),
	WIDTH(64, 0, loop_words_read_64, loop_words_write_64, NARROW),
	WIDTH(128, 0, loop_words_read_128, loop_words_write_128, WIDE(128)),
	WIDTH(256, NEED_AVX2, loop_words_read_256, loop_words_write_256, WIDE(256)),
	WIDTH(512, NEED_AVX512, NULL, NULL, WIDE(512)),
};

const unsigned mix_reads[MIXES] = { 3, 2, 1 };

static uint64_t word_at(const unsigned char *p)
{
	uint64_t word;

	__builtin_memcpy(&word, p, sizeof word);
	return word;
}

static uint64_t half_at(const unsigned char *p)
{
	uint32_t half;

	__builtin_memcpy(&half, p, sizeof half);
	return half;
}

static uint64_t access_at(const unsigned char *p, unsigned width)
{
	uint64_t sum = 0;

	if (width == 4)
		return half_at(p);
	for (unsigned i = 0; i < width; i += 8)
		sum += word_at(p + i);
	return sum;
}

/* Bytes of an edge, each at its place in an aligned word. */
static uint64_t edge_sum(const unsigned char *p, size_t n, unsigned word)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (uint64_t)p[i] << (uintptr_t)(p + i) % word * 8;
	return sum;
}

static size_t head_of(const unsigned char *buffer, size_t bytes, unsigned width)
{
	size_t head = -(uintptr_t)buffer % width;

	return head < bytes ? head : bytes;
}

uint64_t streams_sum(const unsigned char *buffer, size_t bytes, unsigned width_bits)
{
	unsigned width = width_bits / 8, word = width == 4 ? 4 : 8;
	size_t head = head_of(buffer, bytes, width);
	const unsigned char *p = buffer + head;
	size_t accesses = (bytes - head) / width;
	uint64_t sum = edge_sum(buffer, head, word);

	for (size_t i = 0; i < accesses; i += 4)
		sum += access_at(p + i * width, width);
	if (accesses % 4 == 3)
		sum += access_at(p + (accesses - 1) * width, width);
	sum += edge_sum(p + accesses * width, (bytes - head) % width, word);
	return width == 4 ? (uint32_t)sum : sum;
}

uint64_t streams_mix_sum(const unsigned char *from, uint64_t lines, unsigned width_bits)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < lines; i++)
		sum += access_at(from + 64 * i, width_bits / 8);
	return sum;
}

struct turn_walk streams_walk(void *to, const void *from, uint64_t bytes, unsigned in_a_turn,
	unsigned streams, unsigned width_bits, uint64_t pattern)
{
	uint64_t width = width_bits / 8, cursor = in_a_turn == 2 ? width : 2 * width;

	return (struct turn_walk){
		.to = (uintptr_t)to,
		.from = (uintptr_t)from,
		.near = streams == 4 ? bytes / 4 : cursor,
		.far = streams > 1 ? bytes / 2 : 2 * cursor,
		.step = in_a_turn * width / streams,
		.turns = bytes / (in_a_turn * width),
		.pattern = pattern,
	};
}

/* Access i of the last turn; of two a turn each is a cursor's only one. */
static uint64_t last_access(const struct turn_walk *w, unsigned i, unsigned in_a_turn,
	unsigned width)
{
	unsigned cursor = in_a_turn == 2 ? i : i / 2, second = in_a_turn == 2 ? 0 : i % 2;
	uint64_t at = w->to + (cursor & 1) * w->near + (cursor >> 1) * w->far +
		w->step * (w->turns - 1) + second * width;

	return access_at((const unsigned char *)(uintptr_t)at, width);
}

uint64_t streams_turn_sum(const struct turn_walk *w, uint64_t passes, unsigned in_a_turn,
	unsigned width_bits)
{
	uint64_t sum = passes * last_access(w, in_a_turn - 1, in_a_turn, width_bits / 8);

	for (unsigned i = 0; passes && i + 1 < in_a_turn; i++)
		sum += last_access(w, i, in_a_turn, width_bits / 8);
	return sum;
}

bool streams_filled(const unsigned char *buffer, size_t bytes, unsigned width_bits,
	uint64_t pattern)
{
	size_t i = 0;

	if (width_bits == 32)
		pattern = (pattern & 0xffffffff) | pattern << 32;
	for (; i < bytes && (uintptr_t)(buffer + i) % 8; i++)
		if (buffer[i] != (unsigned char)(pattern >> (uintptr_t)(buffer + i) % 8 * 8))
			return false;
	for (; i + 8 <= bytes; i += 8)
		if (word_at(buffer + i) != pattern)
			return false;
	for (; i < bytes; i++)
		if (buffer[i] != (unsigned char)(pattern >> (uintptr_t)(buffer + i) % 8 * 8))
			return false;
	return true;
}
