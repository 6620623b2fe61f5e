/* SPDX-License-Identifier: MIT */
/*
 * The interface between kernel/ and what started it, efi/ or door/: a description of the machine,
 * and the calls that kernel/ may make. They fill it, call kernel_main once, and include nothing
 * else of kernel/.
 * Addresses are physical, and virtual addresses are the same. Strings are ASCII.
 */
#ifndef KERNEL_MACHINE_H
#define KERNEL_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/smbios.h"

struct span {
	uint64_t base, bytes; /* bytes 0: none */
};

/* The firmware's memory map as it was when last read; entries are entry_bytes apart. */
struct memory_map {
	unsigned char *entries;
	size_t bytes, entry_bytes; /* step by entry_bytes; it is >= sizeof(struct memory_entry) */
};

/* EFI_MEMORY_DESCRIPTOR, UEFI 2.10 section 7.2.3. */
struct memory_entry {
	uint32_t type, pad;
	uint64_t base, virtual, pages, attributes;
};

#define MEMORY_RUNTIME (1ULL << 63) /* attribute: the runtime services need it */

/*
 * A linear framebuffer of 32-bit pixels. span.bytes 0: no display, or only Blt reaches it: then
 * draw into `shadow`, of the same format, and show it (display_show), before the exit.
 */
struct framebuffer {
	struct span span;
	uint32_t width, height, pitch; /* pixels */
	uint32_t red, green, blue;     /* masks within a pixel */
	uint32_t *shadow;              /* NULL: no shadow */
	const char *absent;            /* why there is no framebuffer: "no display", "Blt only" */
};

/* Text from the user. data NULL: there is none, and `absent` says why. */
struct text {
	const unsigned char *data; /* raw bytes, not terminated */
	size_t bytes;
	const char *absent; /* "no file \\anechoic.cfg", "no file system" ... */
	bool bad;           /* it is there, but unreadable, too large or not text: see absent */
};

/* The non-volatile variable store. */
struct variable_store {
	bool usable;               /* variables can be set before ExitBootServices */
	bool usable_at_runtime;    /* and after it, by EFI_RT_PROPERTIES_TABLE */
	bool size_known;           /* the firmware reports the three sizes below; else they are 0 */
	uint64_t total, remaining; /* bytes */
	uint64_t largest;          /* most bytes of a single variable */
	const char *why_not;       /* reason if one of the first two is false */
};

/* The boot option by which BootNext brings the machine back to this medium after a reset. */
enum way_home {
	HOME_BOOT_CURRENT, /* the boot option that started this program */
	HOME_OWN_OPTION,   /* a new option: the one that started it is of another device */
	HOME_UNKNOWN       /* none */
};

/*
 * The result of comparing a file with a text. FILE_BEGINNING: it holds the first bytes of it, or
 * nothing. FILE_TAKEN: a server took all of it just now, and cannot give it back to be compared.
 */
enum file_match { FILE_OTHER, FILE_BEGINNING, FILE_SAME, FILE_TAKEN };

enum reset_kind { RESET_WARM, RESET_COLD, RESET_SHUTDOWN };

/* Memory of a NUMA node; node UINT32_MAX: unknown. */
struct node_memory {
	uint32_t node;
	struct span span;
};
#define MACHINE_NODES 32

/* A setting that was there before this program: a register, or a count of devices. */
struct found {
	const char *name;
	uint64_t value;
};
#define MACHINE_FOUND 16

/*
 * A description of the machine, and its calls. All calls return 0 or an EFI status (high bit set).
 */
struct machine {
	struct span image; /* this program, as loaded */
	struct memory_map map;
	struct span arena;                        /* memory to be measured: kernel/memory/arena.h */
	uint32_t arena_node;                      /* its NUMA node, UINT32_MAX: unknown */
	struct node_memory beside[MACHINE_NODES]; /* memory of other nodes, one block a node */
	unsigned nbeside;
	struct span work;   /* stacks, page tables, results; not measured */
	struct span low;    /* pages below 1 MiB for starting other CPUs; may be empty */
	struct span logs;   /* reserved for result text */
	uint64_t rsdp;      /* ACPI root pointer, 0: none */
	struct span smbios; /* the SMBIOS structures */
	struct framebuffer screen;
	struct text config;  /* \anechoic.cfg */
	struct text options; /* load options; the first word may be the program's name */
	char firmware_vendor[64];
	uint32_t firmware_revision, uefi_revision;
	char started_utc[20]; /* "20260101T000000Z", "" when the clock is not readable */
	enum way_home home;
	bool secure_boot;       /* UEFI 2.10, 32.3: only signed programs start */
	bool has_tpm;           /* it measures each program that is started */
	bool others_come_first; /* after a reset another boot option starts than this one */
	bool has_setup;         /* setup_next works: a start can enter the firmware's setup */
	struct variable_store store;
	const char *file_absent;        /* why no file can be written; NULL: files can be */
	const char *boot_volume_absent; /* why not on the boot volume; NULL: on it */
	const char *home_folder;        /* folder of \results\ on the boot volume; "": its root */
	bool file_elsewhere; /* files go to another volume, which has a folder \results */
	/* A file's name is shown between these two: "\results\" " ", or "anechoic-MAC-" "\n  ". */
	const char *file_prefix, *file_gap;
	char server[80]; /* of a network start: "10.0.0.1 by TFTP"; "": none, or not usable */
	struct host host;
	uint64_t entry_ticks; /* TSC when the image was entered */

	/* The run line names the start by these; NULL, "": not stated. */
	const char *door;
	char loader[16], after[64]; /* "GRUB"; "Linux 6.1.0-30-amd64" */
	struct found found[MACHINE_FOUND];
	unsigned nfound;

	bool no_firmware; /* there is none to call: room bare only */
	bool files_stay;  /* files can be written after the exit, too: room bare's result is one */
	const char *next; /* what starts where kernel_main returns after the exit; NULL: nothing */
	void (*restart)(void); /* start this program again without a reset; NULL: not possible */

	/* --- only before ExitBootServices, on the firmware's page tables, interrupts on --- */
	bool has_console;                          /* there is a ConOut */
	void (*print)(const char *text, size_t n); /* prints on it; "\n" becomes CR LF */
	/*
	 * Take the display: text goes to the firmware's other consoles only. false: the firmware
	 * cannot do that. Give it back: the display is empty then.
	 */
	bool (*display_take)(void);
	void (*display_give_back)(void);
	/* Bring an area of screen.shadow onto the display. */
	void (*display_show)(unsigned x, unsigned y, unsigned width, unsigned height);
	bool has_keys; /* there is a console input */
	/* The last key pressed since the last call: ASCII, 27 for Esc, 255 for others, 0: none. */
	unsigned (*key)(void);
	void (*stall)(unsigned microseconds); /* NULL: there is no delay */
	/*
	 * Let the firmware reset the machine in this many seconds, or never (0); each call starts
	 * anew.
	 */
	uint64_t (*watchdog)(unsigned seconds);
	/*
	 * Files in \results\; a name that begins with \ is a file beside that folder. One file may
	 * be open at a time; append flushes to the medium, which takes tens of milliseconds on a
	 * stick. A server gets a file when it is closed: appended data must lie in one piece of
	 * memory and stay there until then.
	 */
	uint64_t (*file_create)(const char *name); /* truncates an existing one */
	uint64_t (*file_append)(const void *data, size_t n);
	uint64_t (*file_close)(void);
	/* Compare a closed file with its expected contents. FILE_OTHER with every error. */
	uint64_t (*file_compare)(const char *name, const void *data, size_t n, enum file_match *);
	/* Read a file, or its beginning. *n: capacity in, bytes read out. */
	uint64_t (*file_read)(const char *name, void *data, size_t *n);
	uint64_t (*file_delete)(const char *name);
	bool (*file_exists)(const char *name);
	/*
	 * Find the file with the greatest name, byte by byte, that has `part` in it and is less
	 * than `name`. Writes it to out[bytes], bytes at most 192; longer names are skipped. false:
	 * there is none, a file is open, or the place cannot list its files.
	 */
	bool (*file_before)(const char *name, const char *part, char *out, size_t bytes);
	/* \anechoic.state: read its first bytes (*n: capacity in, size out), and overwrite them. */
	uint64_t (*state_read)(void *data, size_t *n);
	uint64_t (*state_write)(const void *data, size_t n);
	/*
	 * Close the open file; from now on files go to the next volume that has \results\ and can
	 * be written. false: there is no other.
	 */
	bool (*file_next_place)(void);
	/*
	 * Like file_next_place, after a person has put a medium in: volumes that were tried count
	 * again.
	 */
	bool (*file_look_again)(void);
	/*
	 * MP Services, found by the first call of cpus(). cpu_start runs fn(arg) on CPU `cpu` (1 ..
	 * cpus() - 1) and returns at once; cpu_done: fn returned there.
	 */
	unsigned (*cpus)(void);
	uint32_t (*cpu_id)(unsigned cpu); /* its APIC id */
	uint64_t (*cpu_start)(unsigned cpu, void (*fn)(void *), void *arg);
	bool (*cpu_done)(unsigned cpu);
	/*
	 * Take free memory, whole pages, and read the map again; base 0: anywhere, and the call
	 * sets base. false: the firmware refused.
	 */
	bool (*memory_claim)(struct machine *, struct span *);
	/* Read the memory map into `map` and end boot services; interrupts are off afterwards. */
	uint64_t (*exit_boot_services)(struct machine *);

	/* --- at any time, on page tables that map the runtime services --- */
	/* Variables of our vendor GUID (lib/stored_result.h). *n: capacity in, size out. */
	uint64_t (*variable_get)(const char *name, void *data, size_t *n);
	uint64_t (*variable_set)(const char *name, const void *data, size_t n); /* n 0 deletes */
	/* Ask again for the sizes of the store: firmware may count otherwise after the exit. */
	void (*store_query)(struct variable_store *);
	/* Set BootNext; not with HOME_UNKNOWN. */
	uint64_t (*boot_next)(void);
	/* Let the next start enter the firmware's setup; only with has_setup. */
	uint64_t (*setup_next)(void);
	void (*reset)(enum reset_kind); /* returns only if the firmware refused */
};

/* Measure in the configured rooms. Returns only before the exit, or if there is a `next`. */
void kernel_main(struct machine *);

#endif
