#!/bin/sh
# Compares the committed exports of a project with new exports in a folder: compare.sh PROJECT FOLDER
set -eu
project=$1 new=$2
committed=$(dirname "$0")/$project
differ=0

for file in "$new"/*.svg "$new"/*.net "$new"/*.csv; do
    cmp "$file" "$committed/${file##*/}" >&2 || differ=1
done
for file in "$committed"/*.svg; do
    [ -e "$new/${file##*/}" ] || { echo "$file: no longer exported" >&2; differ=1; }
done

# Only the text of a PDF is compared, because a PDF contains dates.
[ "$(pdftotext "$new/$project.pdf" -)" = "$(pdftotext "$committed/$project.pdf" -)" ] || {
    echo "$committed/$project.pdf: its text differs" >&2; differ=1; }

[ $differ = 0 ] || echo "$project: run make export-schematics and check the changes" \
    "(the committed files were exported by KiCad 9.0; the installed version is $(kicad-cli version))" >&2
exit $differ
