#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make dist: the same sources give the same bytes in another folder, at another time.

load helper

# built FOLDER: build/dist of a copy of the sources there.
built() {
	local version
	version=$(sed 's/.*"\(.*\)"/\1/' build/version.h)
	mkdir -p "$1"
	git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$1" --
	make -s -C "$1" -j2 VERSION="$version" build/anechoic build/anechoic.bz build/anechoic.img build/anechoic.iso \
		build/anechoic-static
	(cd "$1" && tools/dist)
}

@test "built twice in different folders: the same bytes, and the checksums hold" {
	built "$BATS_TEST_TMPDIR/a"
	built "$BATS_TEST_TMPDIR/another/folder"
	diff -r "$BATS_TEST_TMPDIR/a/build/dist" "$BATS_TEST_TMPDIR/another/folder/build/dist"
	cd "$BATS_TEST_TMPDIR/a/build/dist"
	sha256sum -c SHA256SUMS
	[ "$(wc -l <SHA256SUMS)" = "$(($(find . -type f | wc -l) - 1))" ]
	xz -dc anechoic.img.xz | cmp - anechoic.img
	# The Linux program needs no library of the system.
	refute grep NEEDED <(readelf -d anechoic)
	./anechoic --version
	for file in *; do
		[ "$file" = README.txt ] || [[ $file == LICENSE.* ]] || grep -q "\b$file\b" README.txt
	done
	# As after a download: no file may be executed, and nothing of the build is beside it.
	mkdir "$BATS_TEST_TMPDIR/new"
	cp --no-preserve=mode ./* "$BATS_TEST_TMPDIR/new/"
	cd "$BATS_TEST_TMPDIR/new"
	sha256sum -c --ignore-missing SHA256SUMS
	chmod +x anechoic
	env -i ./anechoic run --quick --probe clock --out result
	tail -n 1 result | grep -q '"status":"complete"'
}
