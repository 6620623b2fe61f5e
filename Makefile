# SPDX-License-Identifier: MIT
# anechoic: make, make run, make test, make test-all, make usb DEV=..., make dist, make cloud, make deb,
# make sign, make install. See README.md.

B       := build
CC      := gcc
RELEASE := 0.9.0
VERSION := $(RELEASE)-$(shell git describe --always --dirty 2>/dev/null || echo unknown)

# One line for each file that is made. `make V=1` prints the commands, `make -s` nothing.
Q   := $(if $V,,@)
say  = $Q$(if $V$(findstring s,$(firstword -$(MAKEFLAGS))),,$(info $1))

# Freestanding code, the same objects in the UEFI image and in the Linux program. Data is aligned as the ABI
# demands and no more: a fiftieth of the image's data is padding else.
OPT  := -O2
FREE := $(OPT) -std=gnu11 -ffreestanding -fPIE -fno-strict-aliasing -fno-math-errno -mno-red-zone \
        -fno-stack-protector -fcf-protection=none -fno-asynchronous-unwind-tables -malign-data=abi \
        -fvisibility=hidden -ffunction-sections -ffile-prefix-map=$(CURDIR)=. -Wall -Wextra -Werror \
        -Wno-unused-parameter -Wno-missing-field-initializers -I. -I$B -MMD -MP
# C in section .loops: one multiply-add, call or load at a time, as written; no library calls.
LOOP := -O2 -fno-tree-vectorize -fno-unroll-loops -fno-optimize-sibling-calls \
        -fno-tree-loop-distribute-patterns -ffp-contract=off -fno-jump-tables -malign-data=abi
# The same where what a compiler makes of a loop is the point.
VECTOR := -O3 -ftree-vectorize
# No jump of section .loops crosses a multiple of 32 bytes or ends at one, where Skylake to Comet Lake
# do not keep it in the op cache (Intel, "Mitigations for Jump Conditional Code Erratum", SKX102): nop.
JUMPS = -Wa,-malign-branch-boundary=32,-malign-branch=jcc+fused+jmp+call+ret+indirect \
        -Wa,-malign-branch-prefix-size=0
EFI  := -fshort-wchar -DGNU_EFI_USE_MS_ABI -isystem /usr/include/efi -isystem /usr/include/efi/x86_64
HOST := -O2 -g -std=gnu11 -D_GNU_SOURCE -fno-strict-aliasing -Wall -Wextra -Werror \
        -Wno-unused-parameter -Wno-missing-field-initializers -I. -I$B -MMD -MP
SAN  := $(HOST) -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined \
        -fno-omit-frame-pointer

# A folder says how its code is built: one rule and one wildcard each, no list of files. In a probe's
# folder the file's name says it: _loops.S is timed, _test.c a unit test, _truth.c of the known-answer machine.
below = $(wildcard $(addsuffix /*.$2,$1) $(addsuffix /*/*.$2,$1) $(addsuffix /*/*/*.$2,$1))
c = $(filter-out %_test.c %_truth.c,$(call below,$1,c))
s = $(call below,$1,S)
objects = $(addsuffix .o,$(basename $1))

LOOPS   := $(call c,probes/loops) $(call s,probes)
MEASURE := $(filter-out $(LOOPS),$(call c,lib engine probes page))
KERNEL  := $(call c,kernel) $(call s,kernel)
DOOR    := $(filter-out door/unfold.c,$(call c,door))
LINUX   := $(call c,linux)
TOOLS   := $B/readable $B/screentext $B/disturb $B/qr-picture $B/kam
# The string functions of the sanitizers' library are tested, not ours.
TESTED  := $(filter-out linux/anechoic.c kernel/main.c kernel/libc.c kernel/panic.c,$(MEASURE) $(LINUX) \
             $(call c,kernel) $(call s,kernel))
FUZZED  := $(filter-out linux/%,$(TESTED)) $(filter linux/report/% linux/abort.c linux/show_%.c,$(TESTED))
FUZZ    := $(patsubst tests/fuzz/%_fuzz.c,%,$(wildcard tests/fuzz/*_fuzz.c))
UNITS   := $(patsubst %.c,$B/san/%,$(wildcard tests/unit/*/*_test.c probes/*/*_test.c)) \
           $(FUZZ:%=$B/san/tests/fuzz/%_replay_test)

.PHONY: all unit fuzz tests test test-all pictures golden run debug usb dist cloud deb sign bench install clean FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: $B/anechoic $B/anechoic.img $B/anechoic.bz

include tests/kam/rules.mk

# --- compiling: the folder says with which flags ---
# Have the bytes of other files in them, which the compiler does not tell of.
$(addsuffix /linux/report/sources/sources.o,$B $B/san $B/fuzz/o): linux/report/sources/sources.json
$(addsuffix /page/page.o,$B $B/san $B/fuzz/o $B/judge): | $B/page_files.inc
$(addsuffix /engine/source_rows.o,$B $B/san $B/fuzz/o $B/judge): | $B/source_rows_text.inc
$(addsuffix /linux/command_explain.o,$B $B/san): | $B/readmes.inc

# In the order of enum page_file, page/page.h.
$B/page_files.inc: $B/pack-texts page/files/page.html page/files/page.css page/files/page.js page/files/picture.css \
		page/files/card.txt page/files/sections.txt
	$(call say,PACK $@)$^ >$@

$B/source_rows_text.inc: $B/pack-texts engine/source_rows.txt
	$(call say,PACK $@)$^ >$@

# For `anechoic explain`.
$B/readmes.inc: $B/pack-texts $(wildcard probes/*/README.md)
	$(call say,PACK $@)$^ >$@

$B/pack-texts: tools/pack-texts.c $B/lib/pack.o $B/lib/crc32.o
	$(call say,LD $@)$(CC) $(HOST) -o $@ $(filter %.c %.o,$^)

$B/version.h: FORCE
	@mkdir -p $(@D)
	@echo '#define VERSION "$(VERSION)"' | cmp -s - $@ || echo '#define VERSION "$(VERSION)"' >$@

# What is not timed is small: the image has a limit. Of the passes that -Oz leaves on, these six make
# code larger. What calls the timed loops, sample by sample, is compiled plainly.
SMALL := -Oz -fno-tree-sra -fno-tree-loop-im -fno-move-loop-invariants -fno-caller-saves \
         -fno-expensive-optimizations -fno-tree-tail-merge
SAMPLES := calibration core_clock cpu_tasks measure probe_api
$B/probes/%.o $B/engine/%.o $B/page/%.o: FLAGS = $(FREE) $(SMALL)
$(SAMPLES:%=$B/engine/%.o): FLAGS = $(FREE) -Os
$B/probes/%_loops.o $B/probes/loops/%.o: FLAGS = $(FREE) $(LOOP) $(JUMPS)
$B/probes/loops/leaf_vector.o: FLAGS = $(FREE) $(LOOP) $(VECTOR) $(JUMPS)
# It checks the size of its code, which the assembler must know at once: JUMP_FITS instead.
$B/probes/loops/lanes_loops.o: JUMPS =
# What runs in the firmware's state may be called by a firmware with indirect branch tracking (CET): endbr64.
$B/efi/%.o: FLAGS = $(FREE) $(SMALL) $(EFI) -fcf-protection=branch
$B/door/%.o: FLAGS = $(FREE) $(SMALL)
$B/kernel/%.o $B/lib/%.o: FLAGS = $(FREE) $(SMALL) -fcf-protection=branch
$B/linux/%.o: FLAGS = $(HOST)

$B/%.o: %.c | $B/version.h
	@mkdir -p $(@D)
	$(call say,CC $<)$(CC) $(FLAGS) -c -o $@ $<

$B/%.o: %.S
	@mkdir -p $(@D)
	$(call say,AS $<)$(CC) $(FLAGS) -c -o $@ $<

# --- the timed loops: one object, the same bytes everywhere, by the names of their files in whatever folder ---
LOOP_OBJECTS := $(call objects,$(LOOPS))
$B/loops.o: linker/loops.lds $(foreach o,$(sort $(notdir $(LOOP_OBJECTS))),$B/$(filter %/$o,$(LOOP_OBJECTS)))
	$(call say,LD $@)ld -r -T $< -o $@ $(filter %.o,$^)
	$Qobjcopy --set-section-alignment .loops=4096 $@
	@! readelf -SW $@ | grep ' \.rela' | grep -qv ' \.rela\.debug' || { echo "$@: a loop has a relocation" >&2; exit 1; }

$B/measure.a: $(addprefix $B/,$(call objects,$(MEASURE)))
	@rm -f $@
	$(call say,AR $@)ar rcs $@ $^

# --- the image: linked as ELF, checked, given its base relocations, written out flat ---
IMAGE := ld -pie --no-dynamic-linker -nostdlib --gc-sections --no-undefined -z norelro -z noexecstack \
         -T linker/image.lds

# Both forms are of the same objects, but for the folder that fills struct machine: efi/ or door/.
IMAGE_OBJECTS := $(addprefix $B/,$(call objects,$(KERNEL) $(MEASURE))) $B/loops.o
EFI_OBJECTS   := $(addprefix $B/,$(call objects,$(call c,efi) $(call s,efi)))
$B/image-unmoved.elf $B/image.elf: $(EFI_OBJECTS)
$B/door-unmoved.elf $B/door.elf: $(addprefix $B/,$(call objects,$(DOOR)))

$B/%-unmoved.elf: linker/image.lds $(IMAGE_OBJECTS)
	$(call say,LD $@)$(IMAGE) -o $@ $(filter %.o,$^)

$B/%-reloc.S: $B/%-unmoved.elf linker/reloc.awk
	$(call say,AWK $@)readelf -rW $< | LC_ALL=C awk -f linker/reloc.awk >$@

$B/image.elf $B/door.elf: $B/%.elf: linker/image.lds $(IMAGE_OBJECTS) $B/%-reloc.o
	$(call say,LD $@)$(IMAGE) -o $@ $(filter %.o,$^)
	@readelf -rW $@ | LC_ALL=C awk -f linker/reloc.awk | cmp - $(@:.elf=-reloc.S)
	@! nm -u $@ | grep . || { echo "$@: undefined symbols" >&2; exit 1; }

$B/%-reloc.o: $B/%-reloc.S
	$(call say,AS $<)$(CC) -c -o $@ $<

FLAT := objcopy -O binary -j .header -j .text -j .loops -j .rodata -j .sbat -j .data -j .reloc

$B/BOOTX64.EFI: $B/image.elf
	$(call say,OBJCOPY $@)$(FLAT) $< $@

# The form for Linux's boot protocol: the flat image behind a head that unfolds it.
$B/door.bin: $B/door.elf
	$(call say,OBJCOPY $@)$(FLAT) $< $@

$B/door/head.o: $B/door.bin
$B/door/head.o: FLAGS = -DIMAGE='"$B/door.bin"'
$B/door/unfold.o: FLAGS = $(FREE) -Os -mgeneral-regs-only

$B/bz.elf: linker/bz.lds $B/door/head.o $B/door/unfold.o $B/door.elf
	$(call say,LD $@)ld -nostdlib --no-undefined -z noexecstack -T $< -o $@ $(filter %.o,$^) \
		--defsym image_memory=0x$$(nm $B/door.elf | sed -n 's/ . image_end$$//p')

$B/anechoic.bz: $B/bz.elf
	$(call say,OBJCOPY $@)objcopy -O binary $< $@

include tests/hostile/rules.mk
include tests/provoke/rules.mk

$B/default-config: tools/default-config.c kernel/config.c kernel/config.h $B/linux/abort.o $B/loops.o $B/measure.a
	$(call say,LD $@)$(CC) $(HOST) -o $@ $(filter %.c %.o %.a,$^) -z noexecstack

$B/anechoic.cfg: $B/default-config
	$(call say,CONFIG $@)$< >$@

$B/anechoic.img $B/anechoic.iso: $B/BOOTX64.EFI $B/anechoic.cfg tools/fill-esp
$B/anechoic.img: tools/make-image
	$(call say,IMAGE $@)tools/make-image $@ $B/BOOTX64.EFI $B/anechoic.cfg

$B/anechoic.iso: tools/make-iso
	$(call say,IMAGE $@)tools/make-iso $@ $B/BOOTX64.EFI $B/anechoic.cfg

# --- the Linux program ---
LIBRARIES := -ljansson -lblkid -lpthread -lm
# Its calls are weak, so that they need not be there: see linux/boot/firmware_boot.c.
EFIVAR    := -Wl,--no-as-needed -lefivar -lefiboot -Wl,--as-needed
# With the parser of the image's configuration.
PROGRAM   := $(addprefix $B/,$(call objects,$(LINUX)) kernel/config.o) $B/loops.o $B/measure.a

$B/anechoic: $(PROGRAM)
	$(call say,LD $@)$(CC) -o $@ $^ $(LIBRARIES) $(EFIVAR) -z noexecstack

# For systems without these libraries; two of them cannot be linked so, and `boot` says that.
$B/anechoic-static: $(PROGRAM)
	$(call say,LD $@)$(CC) -static-pie -Wl,--build-id=none -o $@ $^ $(LIBRARIES) -z noexecstack

# --- unit tests: the freestanding and the reading code under sanitizers ---
unit: $(UNITS)
	tools/test-all $(UNITS)

# What is near to one source: make near FILE=engine/measure.c.
near: $B/san/tested.a $(addsuffix .o,$(UNITS:%_replay_test=%_fuzz))
	tools/near $(FILE)

# --- fuzzing: 60 s of each target, from the corpus that the unit tests replay ---
# No tracing of comparisons: in the inner loops of the packer, of checksums and of the nearest key it
# takes two thirds of the time. The corpora have the magic numbers and the keys.
FUZZER := clang -O2 -g -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Wno-unused-parameter \
          -Wno-missing-field-initializers -I. -I$B -MMD -MP \
          -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined \
          -fno-sanitize-coverage=trace-cmp
# Bytes of an input: enough for a few of what is read. libFuzzer's 4096 make each run ten times longer.
MAX_LEN_result := 1536
MAX_LEN_compare := 2560
# A short quarantine and short stacks of allocations: page faults and unwinding are half of what is left.
fuzz: export ASAN_OPTIONS = quarantine_size_mb=8:malloc_context_size=4
max_len = -max_len=$(or $(MAX_LEN_$1),1024)

fuzz:
	tools/setup fuzz
	$(MAKE) -j$$(nproc) $(FUZZ:%=$B/fuzz/%) $B/fuzz/corpus
	@set -e; $(foreach t,$(FUZZ),mkdir -p $B/fuzz/found-$t; $B/fuzz/$t -max_total_time=60 -timeout=10 \
		$(call max_len,$t) -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix=$B/fuzz/$t- \
		$B/fuzz/found-$t $B/fuzz/corpus/$t;)

$B/fuzz/corpus: tests/fuzz/make_corpus.py
	@rm -rf $@ $@.new
	$(call say,CORPUS $@)python3 $< $@.new
	@mv $@.new $@

$B/fuzz/o/%.o: %.c | $B/version.h
	@mkdir -p $(@D)
	$(call say,CC $@)$(FUZZER) -c -o $@ $<

$B/fuzz/o/%.o: %.S
	@mkdir -p $(@D)
	$(call say,AS $@)$(FUZZER) -c -o $@ $<

$B/fuzz/fuzzed.a: $(addprefix $B/fuzz/o/,$(call objects,$(FUZZED)))
	@rm -f $@
	$(call say,AR $@)ar rcs $@ $^

$B/fuzz/%: $B/fuzz/o/tests/fuzz/%_fuzz.o $B/fuzz/fuzzed.a $B/loops.o
	$(call say,LD $@)clang -fsanitize=fuzzer,address,undefined -o $@ $^ $(LIBRARIES) $(EFIVAR) -z noexecstack

# Builds all that the tests need; then runs whatever is there (see tools/test-all).
tests: all $B/anechoic.iso $(UNITS) $(TOOLS)

test:
	tools/setup test
	$(MAKE) -j$$(nproc) tests
	tools/test-all

# With the long set: tests/**/*.long.bats and *.long.tap.
test-all:
	tools/setup long
	$(MAKE) -j$$(nproc) tests
	tools/test-all --long

# --- for people ---
# The README's picture of a display: of the known-answer machine, whose properties are stated, with
# nobody beside the image. It is the same everywhere. The other one is of two real runs of one guest,
# alone and beside six programs that copy 96 MiB each: anechoic plot --probe latency A B.
pictures: $B/kam $B/BOOTX64.EFI
	$B/kam --layer b --cpu tests/kam/cpus/zen.ini --image $B/BOOTX64.EFI --out $B/screen.ndjson \
		--display 1280x800 --screendump $B/screen.ppm
	tools/ppm-to-png $B/screen.ppm docs/pictures/screen.png

# Keeps the report's pictures as they are now: look at what git says of them.
golden: $B/anechoic
	tests/page/golden.py --write

run:
	$Qtools/setup run
	$Q$(MAKE) --no-print-directory -j$$(nproc) all $B/readable
	$Qtools/run

# The same code with debugging information, and gdb at the beginning of room bare: see CONTRIBUTING.md.
debug:
	tools/setup debug
	$(MAKE) -j$$(nproc) all
	$(MAKE) -j$$(nproc) B=$B/debug OPT='$(OPT) -g' $B/debug/BOOTX64.EFI
	tools/debug

usb:
	tools/setup build
	$(MAKE) -j$$(nproc) all
	tools/usb $(DEV)

dist:
	tools/setup dist
	$(MAKE) -j$$(nproc) all $B/anechoic.iso $B/anechoic-static
	tools/dist

cloud:
	tools/setup dist
	$(MAKE) -j$$(nproc) all
	tools/cloud

deb:
	tools/setup deb
	tools/deb $(VERSION)

sign:
	tools/setup dist
	$(MAKE) -j$$(nproc) all
	tools/sign "$(KEY)" "$(CERT)"

$B/readable: tools/readable.c
	$(call say,CC $<)$(CC) $(HOST) -o $@ $<

$B/screentext: tests/boot/screentext.c page/picture/font.c
	$(call say,CC $<)$(CC) $(HOST) -o $@ $^

$B/qr-picture: tests/cli/qr_picture.c $B/linux/abort.o $B/measure.a
	$(call say,CC $<)$(CC) $(HOST) -o $@ $^ -z noexecstack

$B/disturb: tests/cli/disturb.c
	$(call say,CC $<)$(CC) $(HOST) -o $@ $<

bench:
	tools/setup bench
	$(MAKE) -j$$(nproc) $B/anechoic
	tools/bench

$B/san/%.o: %.c | $B/version.h
	@mkdir -p $(@D)
	$(call say,CC $@)$(CC) $(SAN) -c -o $@ $<

$B/san/%.o: %.S
	@mkdir -p $(@D)
	$(call say,AS $@)$(CC) $(SAN) -c -o $@ $<

# Of an archive the linker leaves out the object of a file that a test has included.
$B/san/tested.a: $(addprefix $B/san/,$(call objects,$(TESTED)))
	@rm -f $@
	$(call say,AR $@)ar rcs $@ $^

$B/san/tests/unit/lib/qr_test: BESIDE = -lqrcodegen # the encoder that ours is compared with
$B/san/%_test: $B/san/%_test.o $B/san/tests/unit/test.o $B/san/tested.a $B/loops.o
	$(call say,LD $@)$(CC) $(SAN) -o $@ $^ $(BESIDE) -lcmocka $(LIBRARIES) $(EFIVAR) -z noexecstack

$B/san/tests/fuzz/%_replay_test: $B/san/tests/fuzz/%_fuzz.o $B/san/tests/fuzz/replay.o \
		$B/san/tested.a $B/loops.o | $B/fuzz/corpus
	$(call say,LD $@)$(CC) $(SAN) -o $@ $^ $(LIBRARIES) $(EFIVAR) -z noexecstack

PREFIX := /usr/local

install: $B/anechoic $B/BOOTX64.EFI $B/anechoic.bz
	install -D -m 755 $B/anechoic $(DESTDIR)$(PREFIX)/bin/anechoic
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/anechoic $B/BOOTX64.EFI $B/anechoic.bz
	install -D -m 755 tools/package/menu $(DESTDIR)$(PREFIX)/lib/anechoic/menu
	install -D -m 755 tools/package/30_anechoic $(DESTDIR)/etc/grub.d/30_anechoic
	install -D -m 644 docs/anechoic.1 $(DESTDIR)$(PREFIX)/share/man/man1/anechoic.1
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/anechoic README.md CONTRIBUTING.md \
		CHANGELOG.md LICENSE
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/anechoic/docs docs/*.md
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/anechoic/docs/pictures docs/pictures/*
	for readme in probes/*/README.md; do \
		install -D -m 644 $$readme $(DESTDIR)$(PREFIX)/share/doc/anechoic/$$readme || exit; done
	install -D -m 644 tools/package/completions/anechoic \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/anechoic

clean:
	rm -rf $B

-include $(shell find $B -path $B/linux-guest -prune -o -name '*.d' -print 2>/dev/null)
