/* SPDX-License-Identifier: MIT */
/* Shared by the files of door/: the zero page and the steps of door.c. */
#ifndef DOOR_DOOR_H
#define DOOR_DOOR_H

#include "kernel/machine.h"
#include "lib/way_back.h"

/* The loader gave these. */
struct given {
	const unsigned char *zero_page;
	struct span program;      /* the file and the memory behind it */
	struct way_back *way;     /* NULL: nothing comes after this program */
	uint64_t root;            /* page tables that map */
	uint64_t mapped;          /* the addresses below this, each to itself */
	const unsigned char *efi; /* configuration tables of a firmware that was; NULL: none */
	unsigned efi_tables;
};
extern struct given given;

/* A number of the zero page or of any other memory, little endian, not aligned. */
static inline uint64_t number_at(const void *at, unsigned bytes)
{
	const unsigned char *from = at;
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | from[bytes];
	return value;
}

/* Each fills its part of struct machine. */
void memory_open(struct machine *);
void tables_open(struct machine *);
void brought_open(struct machine *);
void found_open(struct machine *);

/* Returns the first node of setup_data with that type, or NULL. */
struct setup_node *node_find(uint32_t type);
/* Map all memory that the loader lists, with these tables. */
void pages_open(uint64_t *tables, uint64_t bytes);
/* Read an MSR; false: the processor refuses it. */
bool found_msr(uint32_t msr, uint64_t *value);

#endif
