/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "engine/env.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/load.h"
#include "tests/kam/image/annotate.h"
#include "tests/kam/image/walk.h"
#include "tests/kam/image/full_system.h"

#define TAIL 2000 /* bytes of text that may tell why the image ended */

void unicorn_check(uc_err err, const char *what)
{
	if (err != UC_ERR_OK)
		fatal("Unicorn: %s: %s", what, uc_strerror(err));
}

uint64_t register_of(uc_engine *uc, int id)
{
	uint64_t value = 0;

	unicorn_check(uc_reg_read(uc, id, &value), "reading a register");
	return value;
}

void system_hook(struct full_system *w, int type, void *callback, uint64_t from, uint64_t to)
{
	uc_hook h;

	unicorn_check(uc_hook_add(w->uc, &h, type, callback, w, from, to), "adding a hook");
}

void system_pass_time(struct full_system *w, uint64_t ns)
{
	w->pending_ns += ns;
}

uint64_t system_tsc(struct full_system *w)
{
	model_idle(&w->model,
		(uint64_t)((unsigned __int128)w->pending_ns * w->model.clock.core_hz / 1000000000));
	w->pending_ns = 0;
	return model_ticks(&w->model);
}

static void open_text(struct text_buffer *w)
{
	w->to = open_memstream(&w->text, &w->bytes);
	if (!w->to)
		fatal("no memory for text");
}

/* The last bytes of what the image said, at most so many. */
static void say(struct full_system *w, size_t most)
{
	size_t n;

	fflush(w->said.to);
	n = w->said.bytes < most ? w->said.bytes : most;
	fwrite(w->said.text + w->said.bytes - n, 1, n, stderr);
}

static bool on_fault(uc_engine *uc, uc_mem_type type, uint64_t address, int bytes, int64_t value,
	void *priv)
{
	(void)value;
	say(priv, TAIL);
	fatal("%#lx: access of %d bytes at %#lx (type %d), where no memory is",
		register_of(uc, UC_X86_REG_RIP), bytes, address, type);
}

static uint64_t up(uint64_t bytes)
{
	return (bytes + PAGE_4K - 1) / PAGE_4K * PAGE_4K;
}

static void map_memory(struct memmap *m, uint64_t image_bytes, uint64_t high)
{
	uint64_t end = IMAGE_AT + up(image_bytes);

	memmap_add(m, 0, PAGE_4K, MEMMAP_FIRMWARE_DATA);
	memmap_add(m, PAGE_4K, HOLE_AT - PAGE_4K, MEMMAP_FREE);
	memmap_add(m, TRAPS_AT, TABLES_AT - TRAPS_AT, MEMMAP_RUNTIME_CODE);
	memmap_add(m, TABLES_AT, ROOT_AT - TABLES_AT, MEMMAP_RUNTIME_DATA);
	memmap_add(m, ROOT_AT, STACK_END - ROOT_AT, MEMMAP_FIRMWARE_DATA);
	memmap_add(m, STACK_END, IMAGE_AT - STACK_END, MEMMAP_FREE);
	memmap_add(m, IMAGE_AT, end - IMAGE_AT, MEMMAP_LOADER_CODE);
	memmap_add(m, end, LOW_BYTES - end, MEMMAP_FREE);
	if (high)
		memmap_add(m, 4 * GIB, high, MEMMAP_FREE);
}

struct part {
	uint64_t begin, end;
	bool code;
};

/* Memory in parts, to one of the two Unicorns. */
static void share(struct full_system *w, uc_engine *uc, const struct part *p, unsigned n)
{
	for (; n--; p++)
		if (p->end > p->begin)
			unicorn_check(uc_mem_map_ptr(uc, p->begin, p->end - p->begin,
					      UC_PROT_READ | UC_PROT_WRITE |
						      (p->code ? UC_PROT_EXEC : 0),
					      ram_at(&w->ram, p->begin, p->end - p->begin)),
				"mapping memory");
}

/* Loops may run code of .loops, or what was generated; plain C its own and the firmware's. */
static void share_memory(struct full_system *w)
{
	uint64_t text = IMAGE_AT + w->text.address, loops = IMAGE_AT + w->loops.address;
	uint64_t end = loops + up(w->loops.memory_bytes), image_end = IMAGE_AT + w->image_bytes;
	uint64_t high = w->ram.span[1].base, high_end = high + w->ram.span[1].bytes;
	const struct part timed[] = { { 0, loops, false }, { loops, end, true },
		{ end, image_end, false }, { image_end, LOW_BYTES, true },
		{ high, high_end, false } };
	const struct part plain[] = { { 0, TRAPS_AT, false }, { TRAPS_AT, TABLES_AT, true },
		{ TABLES_AT, text, false }, { text, end, true }, { end, LOW_BYTES, false },
		{ high, high_end, false } };

	share(w, w->timed.uc, timed, sizeof(timed) / sizeof(*timed));
	share(w, w->uc, plain, sizeof(plain) / sizeof(*plain));
}

/* Large arenas lie above 4 GiB, in one piece. */
static void lay_out(struct full_system *w)
{
	uint64_t high = w->cpu->memory_bytes > LOW_BYTES / 2
		? (w->cpu->memory_bytes + GIB - 1) / GIB * GIB
		: 0;
	struct image im;

	image_read(&im, w->request->image);
	image_find(&im, ".text", &w->text);
	image_find(&im, ".loops", &w->loops);
	w->image_bytes = load_bytes(&im);
	if (w->image_bytes > LOW_BYTES / 4 || w->image_bytes % PAGE_4K)
		fatal("an image of %lu bytes", w->image_bytes);
	ram_open(&w->ram, LOW_BYTES, high);
	w->entry = load_image(&im, ram_at(&w->ram, IMAGE_AT, w->image_bytes), IMAGE_AT);
	image_free(&im);
	map_memory(&w->map, w->image_bytes, high);
	share_memory(w);
}

/* By the page tables that are loaded; whatever is timed must be mapped to itself. */
static struct mapping mapping(const void *priv, uint64_t address)
{
	const struct full_system *w = priv;
	struct page page;

	if (!walk(&w->ram, w->root, address, &page) || page.physical != address)
		fatal("%#lx: accessed by a loop, but not mapped to itself", address);
	if (!page.executable && !system_no_execute(w))
		fatal("%#lx: its page has bit 63, which is reserved without EFER.NXE", address);
	return (struct mapping){ page.physical, page.shift };
}

static void run(struct full_system *w)
{
	uc_err err = uc_emu_start(w->uc, START_AT, 0, 0, 0);
	uint64_t rip = register_of(w->uc, UC_X86_REG_RIP);
	const uint8_t *before = ram_find(&w->ram, rip - 1, 1);

	if (err == UC_ERR_OK && (w->reset || (before && *before == 0xf4 /* hlt */)))
		return;
	say(w, TAIL);
	fatal("%#lx: the image stopped: %s", rip, uc_strerror(err));
}

static void open_all(struct full_system *w)
{
	open_text(&w->said);
	open_text(&w->results);
	model_init(&w->model, w->cpu);
	w->model.memory.mapping = mapping;
	w->model.memory.mapping_priv = w;
	emulator_open(&w->timed, &w->model);
	unicorn_check(uc_open(UC_ARCH_X86, UC_MODE_64, &w->uc), "starting");
	system_hook(w, UC_HOOK_MEM_INVALID, (void *)on_fault, 1, 0);
	lay_out(w);
	efi_open(w);
	system_cpu_init(w);
	system_ports_init(w);
	system_loops_init(w);
}

static void close_all(struct full_system *w)
{
	uc_close(w->uc);
	emulator_close(&w->timed);
	model_free(&w->model);
	ram_close(&w->ram);
	efi_files_close(w);
	fclose(w->said.to);
	fclose(w->results.to);
	free(w->said.text);
	free(w->results.text);
}

/* What room firmware wrote into files, before what room bare sent by the debug console. */
static void gather(struct full_system *w, struct text_buffer *all)
{
	static const char results[] = "\\results\\";
	unsigned i;

	open_text(all);
	for (i = 0; i < EFI_FILES_MOST; i++)
		if (!strncmp(w->file[i].path, results, sizeof(results) - 1))
			fwrite(w->file[i].data, 1, w->file[i].bytes, all->to);
	fflush(w->results.to);
	fwrite(w->results.text, 1, w->results.bytes, all->to);
	fflush(all->to);
}

int full_system_run(const struct request *r, const struct cpu *cpu, FILE *out)
{
	static struct full_system w;
	struct text_buffer all;
	int code;

	w = (struct full_system){ .request = r, .cpu = cpu };
	open_all(&w);
	run(&w);
	if (r->verbose)
		say(&w, SIZE_MAX);
	gather(&w, &all);
	code = annotate(all.text, all.bytes, cpu->name, out);
	if (code < 0) {
		say(&w, TAIL);
		fatal("the image ended without a complete result");
	}
	fclose(all.to);
	free(all.text);
	close_all(&w);
	return code;
}
