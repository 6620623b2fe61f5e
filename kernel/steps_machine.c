/* SPDX-License-Identifier: MIT */
#include "kernel/steps_machine.h"

#include <string.h>

#include "kernel/console/console.h"
#include "kernel/cpu/msr.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/steps.h"
#include "lib/crc32.h"
#include "version.h"

static void say(const char *line)
{
	console_printf("%s\n", line);
}

static const struct step_storage storage = {
	.file_read = firmware_state_read,
	.file_write = firmware_state_write,
	.get = firmware_variable_get,
	.set = firmware_variable_set,
	.boot_services = boot_services_active,
	.say = say,
};

uint32_t machine_id(const struct machine *m)
{
	uint32_t id = cpu_leaf(&this_cpu, 1).eax;

	for (uint32_t leaf = 0x80000002; leaf <= 0x80000004; leaf++) {
		struct cpuid name = cpu_leaf(&this_cpu, leaf);

		id = crc32_of(id, &name, sizeof name);
	}
	id = crc32_of(id, m->firmware_vendor, strlen(m->firmware_vendor));
	return crc32_of(id, &m->firmware_revision, sizeof m->firmware_revision);
}

void steps_open_machine(const struct machine *m, const struct config *c)
{
	steps_open(&(struct steps_setup){
		.storage = &storage,
		.choice = c->state,
		.machine = crc32_of(machine_id(m), VERSION, sizeof VERSION),
		.utc = m->started_utc,
		.variables = m->store.usable,
		.runtime = m->store.usable_at_runtime && c->store != STORE_OFF,
	});
}
