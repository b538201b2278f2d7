#!/bin/sh
# Whether what is committed of a project is what it gives: compare.sh PROJECT FOLDER
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

# A PDF has dates, so its text is what is compared.
[ "$(pdftotext "$new/$project.pdf" -)" = "$(pdftotext "$committed/$project.pdf" -)" ] || {
    echo "$committed/$project.pdf: its text differs" >&2; differ=1; }

[ $differ = 0 ] || echo "$project: run make export-schematics and look at what changes" \
    "(what is committed was exported by KiCad 9.0, this is $(kicad-cli version))" >&2
exit $differ
