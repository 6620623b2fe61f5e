/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "engine/room.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/load.h"
#include "tests/kam/image/annotate.h"
#include "tests/kam/image/fake_efi.h"
#include "tests/kam/image/fake_display.h"
#include "tests/kam/image/hostile.h"
#include "tests/kam/image/walk.h"
#include "tests/kam/image/full_system.h"
#include "tests/kam/image/full_system_others.h"

#define TAIL 2000 /* bytes of text that may tell why the image ended */

#define STARTS_MOST   6
#define SILENT_BLOCKS 40000000 /* of plain C: 100 s of waiting, or much to compute */

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
	uint64_t own;

	if (others_own_tsc(w, &own))
		return own;
	model_idle(&w->model,
		(uint64_t)((unsigned __int128)w->pending_ns * w->model.clock.core_hz / 1000000000));
	w->pending_ns = 0;
	return model_ticks(&w->model);
}

void system_end(struct full_system *w, const char *how)
{
	snprintf(w->end, sizeof(w->end), "%s", how);
	unicorn_check(uc_emu_stop(w->uc), "stopping");
}

void system_wrong(struct full_system *w, const char *what)
{
	if (!*w->wrong)
		snprintf(w->wrong, sizeof(w->wrong), "%s", what);
}

void system_progress(struct full_system *w)
{
	w->remarks_nothing = w->waited_ns = 0;
	w->output = true;
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

struct image_part {
	uint64_t begin, end;
	bool code;
};

/* Memory in parts, to one of the two Unicorns. */
static void share(struct full_system *w, uc_engine *uc, const struct image_part *p, unsigned n)
{
	for (; n--; p++)
		if (p->end > p->begin)
			unicorn_check(uc_mem_map_ptr(uc, p->begin, p->end - p->begin,
					      UC_PROT_READ | UC_PROT_WRITE |
						      (p->code ? UC_PROT_EXEC : 0),
					      ram_at(&w->ram, p->begin, p->end - p->begin)),
				"mapping memory");
}

void system_share_high(struct full_system *w)
{
	const struct ram_span *high = &w->ram.span[1];
	const struct image_part part = { high->base, high->base + high->bytes, false };
	const struct image_part generated = { part.begin, part.end, true };

	share(w, w->timed.uc, &generated, 1);
	share(w, w->uc, &part, 1);
}

static void share_plain(struct full_system *w, bool low_code)
{
	uint64_t text = IMAGE_AT + w->text.address, loops = IMAGE_AT + w->loops.address;
	uint64_t end = loops + up(w->loops.memory_bytes);
	const struct image_part plain[] = { { 0, TRAPS_AT, low_code },
		{ TRAPS_AT, TABLES_AT, true }, { TABLES_AT, text, false }, { text, end, true },
		{ end, LOW_BYTES, false } };

	share(w, w->uc, plain, sizeof(plain) / sizeof(*plain));
}

/* Loops may run code of .loops, or what was generated; plain C its own and the firmware's. */
static void share_memory(struct full_system *w)
{
	uint64_t loops = IMAGE_AT + w->loops.address;
	uint64_t end = loops + up(w->loops.memory_bytes), image_end = IMAGE_AT + w->image_bytes;
	const struct image_part timed[] = { { 0, loops, false }, { loops, end, true },
		{ end, image_end, false }, { image_end, LOW_BYTES, true } };

	share(w, w->timed.uc, timed, sizeof(timed) / sizeof(*timed));
	share_plain(w, false);
	system_share_high(w);
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

/* Returns an address's mapping by the loaded page tables; timed memory must be mapped to itself. */
static struct mapping mapping(const void *priv, uint64_t address)
{
	const struct full_system *w = priv;
	struct walked_page page;

	if (!walk(&w->ram, w->root, address, &page) || page.physical != address)
		return (struct mapping){ address, NOT_MAPPED };
	if (!page.executable && !system_no_execute(w))
		fatal("%#lx: its page has bit 63, which is reserved without EFER.NXE", address);
	return (struct mapping){ page.physical, page.shift };
}

static unsigned entries(const void *priv, uint64_t address, uint64_t out[TABLES])
{
	const struct full_system *w = priv;
	struct walked_page page;
	unsigned i;

	if (!walk(&w->ram, w->root, address, &page))
		fatal("%#lx: walked for, but not mapped", address);
	for (i = 0; i < page.entries; i++)
		out[i] = page.entry[page.entries - 1 - i];
	return page.entries;
}

/* Note how the image ended by itself; any other end ends the program. */
static void note_end(struct full_system *w, uc_err err)
{
	uint64_t rip = register_of(w->uc, UC_X86_REG_RIP);
	const uint8_t *before = ram_find(&w->ram, rip - 1, 1);

	if (*w->end)
		return;
	if (err != UC_ERR_OK || !before || *before != 0xf4 /* hlt */) {
		say(w, TAIL);
		fatal("%#lx: the image stopped: %s", rip, uc_strerror(err));
	}
	bool returned = rip - 1 == RETURN_AT;

	if (returned)
		efi_expect_kept(w);
	strcpy(w->end, returned ? "returned" : "halted");
}

/* A block of plain C: too many without a word are a hang. */
static void on_block(uc_engine *uc, uint64_t address, uint32_t bytes, void *priv)
{
	struct full_system *w = priv;

	if (++w->remarks_nothing > SILENT_BLOCKS) {
		char how[64];

		snprintf(how, sizeof(how), "hang at image+%#llx", address - IMAGE_AT);
		system_end(w, how);
	}
}

void system_attach(struct full_system *w, uint64_t page)
{
	const struct ram_span *high = &w->ram.span[1];
	const struct image_part part = { high->base, high->base + high->bytes, false };

	system_hook(w, UC_HOOK_MEM_INVALID, (void *)on_fault, 1, 0);
	share_plain(w, true);
	share(w, w->uc, &part, 1);
	system_cpu_attach(w, page);
	system_faults_init(w);
	system_apic_attach(w);
	display_attach(w);
	system_loops_init(w);
}

/* The machine, but for what outlives a reset. */
static void switch_on(struct full_system *w)
{
	model_init(&w->model, w->cpu);
	w->model.memory.mapping = mapping;
	w->model.memory.entries = entries;
	w->model.memory.mapping_priv = w;
	emulator_open(&w->timed, &w->model);
	unicorn_check(uc_open(UC_ARCH_X86, UC_MODE_64, &w->uc), "starting");
	system_hook(w, UC_HOOK_MEM_INVALID, (void *)on_fault, 1, 0);
	lay_out(w);
	others_init(w);
	if (w->cpu->wake.ipi) {
		w->timed.between = others_beside;
		w->timed.wrmsr = others_wrmsr;
		w->timed.between_priv = w;
	}
	efi_open(w);
	system_cpu_init(w);
	system_faults_init(w);
	system_ports_init(w);
	system_timers_init(w);
	system_apic_init(w);
	system_loops_init(w);
	if (w->request->hostile) {
		system_hook(w, UC_HOOK_BLOCK, (void *)on_block, 1, 0);
		hostile_prepare(w, w->request->hostile);
	}
	others_power_on(w);
}

static void switch_off(struct full_system *w)
{
	others_free(w);
	display_free(w);
	uc_close(w->uc);
	emulator_close(&w->timed);
	model_free(&w->model);
	ram_close(&w->ram);
}

static bool is_halted(struct full_system *w)
{
	const uint8_t *before = ram_find(&w->ram, register_of(w->uc, UC_X86_REG_RIP) - 1, 1);

	return before && *before == 0xf4;
}

/* Until it ends; one that halts, and whose timer will be due, goes on. */
static uc_err run(struct full_system *w)
{
	uint64_t at = START_AT;
	uc_err err;

	for (;;) {
		err = uc_emu_start(w->uc, at, 0, 0, 0);
		if (err != UC_ERR_OK || *w->end || !is_halted(w) ||
			!system_timer_due(w, register_of(w->uc, UC_X86_REG_RIP), w->cpu->wake.hlt))
			return err;
		at = register_of(w->uc, UC_X86_REG_RIP);
	}
}

/* One start of the image, from power or reset to its end. */
static void start(struct full_system *w)
{
	struct full_system next = { .request = w->request,
		.cpu = w->cpu,
		.kept = w->kept,
		.boot_watchdog =
			true, /* UEFI 2.10, 3.1.2: before the boot manager starts a program */
		.said = w->said,
		.results = w->results };

	*w = next;
	switch_on(w);
	note_end(w, run(w));
	if (w->at_end)
		w->at_end(w);
	switch_off(w);
	efi_files_cut(w);
	w->kept.starts++;
	if (w->request->hostile)
		printf("start %u: %s%s%s\n", w->kept.starts, w->end, *w->wrong ? "; wrong: " : "",
			w->wrong);
}

/* A file in \results\ with a result; its page is none. */
static bool is_result(const char *path)
{
	static const char folder[] = "\\results\\", ending[] = ".ndjson";
	size_t n = strlen(path), last = sizeof(ending) - 1;

	return !strncmp(path, folder, sizeof(folder) - 1) && n > last &&
		!strcmp(path + n - last, ending);
}

/* The lines of the debug console; without those of room firmware if these are in its file. */
static void add_sent(const struct text_buffer *sent, struct text_buffer *all)
{
	static const char firmware[] = "\"room\":\"firmware\"";
	const char *end = sent->text + sent->bytes, *next;
	bool filed = all->bytes;

	for (const char *line = sent->text; line < end; line = next) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));

		next = stop ? stop + 1 : end;
		if (!filed || !memmem(line, (size_t)(next - line), firmware, sizeof(firmware) - 1))
			fwrite(line, 1, (size_t)(next - line), all->to);
	}
}

/*
 * Collect the files' text and the debug console's. With --hostile the console counts only if no
 * file was written.
 */
static void gather(struct full_system *w, struct text_buffer *all)
{
	unsigned i;

	open_text(all);
	for (i = 0; i < EFI_FILES_MOST; i++)
		if (is_result(w->kept.file[i].path))
			fwrite(w->kept.file[i].data, 1, w->kept.file[i].bytes, all->to);
	fflush(all->to);
	fflush(w->results.to);
	if (!w->request->hostile || !all->bytes)
		add_sent(&w->results, all);
	fflush(all->to);
}

/* Nobody is there who leaves the setup. */
static bool is_in_setup(struct full_system *w)
{
	if (!variables_want_setup(&w->kept))
		return false;
	printf("start %u: in the firmware's setup\n", w->kept.starts + 1);
	return true;
}

/* A person resets what hangs, and starts again what lost its power. */
static bool is_reset(const struct full_system *w)
{
	return !strncmp(w->end, "reset", 5) || !strncmp(w->end, "triple", 6) ||
		!strncmp(w->end, "hang", 4) || !strncmp(w->end, "power", 5);
}

static void start_all(struct full_system *w)
{
	unsigned most = w->request->hostile ? STARTS_MOST : 1;
	char wrong[sizeof(w->wrong)] = "";

	do {
		start(w);
		if (*w->wrong)
			strcpy(wrong, w->wrong);
	} while (is_reset(w) && w->kept.starts < most && !is_in_setup(w));
	if (w->request->verbose || w->request->hostile)
		say(w, SIZE_MAX);
	if (*wrong)
		fatal("the image did what it must not do: %s", wrong);
}

int full_system_run(const struct request *r, const struct cpu *cpu, FILE *out)
{
	static struct full_system w;
	struct text_buffer all = { 0 };
	int code;

	w = (struct full_system){ .request = r, .cpu = cpu, .kept.store_bytes = STORE_BYTES };
	open_text(&w.said);
	open_text(&w.results);
	start_all(&w);
	gather(&w, &all);
	code = annotate(all.text, all.bytes, cpu->name, out);
	if (code < 0) {
		say(&w, r->hostile ? 0 : TAIL);
		fatal("the image ended without a complete result");
	}
	fclose(all.to);
	free(all.text);
	kept_free(&w.kept);
	fclose(w.said.to);
	fclose(w.results.to);
	free(w.said.text);
	free(w.results.text);
	return code;
}
