/* SPDX-License-Identifier: MIT */
/*
 * Lines that several cores have. A line that one core has written (modified) is in no other core;
 * a read by another takes it over, clean, for `transfer` cycles; a write to a line that others have
 * takes it from them for as long. Clean lines come from the last cache or from memory as ever.
 *
 * The states are not kept, they follow from the caches: modified: dirty in the core's own caches;
 * exclusive: clean there and nowhere else; shared: clean there and in another core or domain.
 */
#ifndef TESTS_KAM_CPU_COHERENCE_H
#define TESTS_KAM_CPU_COHERENCE_H

#include <stdbool.h>
#include <stdint.h>

struct memory;

/* The delay that the other cores cause for an access. */
struct transfer {
	uint64_t wait;  /* cycles from the request, at least; 0: nobody else has to do with it */
	uint64_t ready; /* cycle before which the other core does not have the line itself */
	bool supplied;  /* the line comes from another core or domain, not from memory */
};

/*
 * A core is about to read or write a line at cycle t: takes it from the others, as far as needed.
 * To be asked before its own caches are looked at.
 */
struct transfer coherence_request(struct memory *, uint64_t line, bool write, uint64_t t);
/* Returns true if another core or domain has modified the line. */
bool coherence_modified_elsewhere(struct memory *, uint64_t line);
/* Takes the line from all other cores, domains and its home; whether one of them had written it. */
bool coherence_drop(struct memory *, uint64_t line);

#endif
