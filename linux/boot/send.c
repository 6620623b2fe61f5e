/* SPDX-License-Identifier: MIT */
#include "linux/boot/send.h"

#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "linux/boot/boot_config.h"

int send_plan(struct send *send, const struct esp *esp, char *err)
{
	send->esp = esp;
	send->files.root = esp->root;
	if (boot_files_check(&send->files, err) || boot_entry_plan(&esp->part, &send->entry, err))
		return -1;
	return boot_next_check(&send->entry, err);
}

void send_say(const struct send *send, FILE *out)
{
	static const char *const then[] = {
		[FINISH_FIRMWARE] = "then Linux starts",
		[FINISH_POWEROFF] = "then it is off",
		[FINISH_RESET] = "then Linux starts",
		[FINISH_HALT] = "then it halts",
	};
	const struct boot_entry *entry = &send->entry;
	struct boot_course course = boot_config_course(send->files.config);
	char order[48] = "in no boot order";

	if (entry->place) /* some firmware adds every entry that it finds */
		snprintf(order, sizeof(order), "place %u of the boot order", entry->place);
	fprintf(out,
		"The next start of this machine measures it without Linux, %s.\n"
		"  files    %s: \\EFI\\anechoic\\, %zu KiB\n"
		"  entry    Boot%04X \"" BOOT_ENTRY "\", %s; BootNext, for one start\n"
		"  then     %u room%s of about %.0f s; up to %u s of countdowns; firmware's time\n"
		"  results  \\EFI\\anechoic\\results\\ there: `sudo anechoic fetch` brings them\n",
		then[course.finish], send->esp->shown, (send->files.image_bytes + 1023) >> 10,
		entry->number, order, course.rooms, text_plural(course.rooms), course.room_seconds,
		course.countdowns);
}

int send_do(const struct send *send, char *err)
{
	if (boot_files_write(&send->files, err) || boot_entry_write(&send->entry, err))
		return -1;
	return boot_next_write(&send->entry, err);
}

int send_undo(const struct esp *esp, struct send_undone *undone, char *err)
{
	*undone = (struct send_undone){ 0 };
	if (firmware_boot_remove(&undone->removed, err))
		return -1;
	return boot_files_remove(esp->root, &undone->results, err);
}
