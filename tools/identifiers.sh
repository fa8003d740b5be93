#!/usr/bin/env bash
# Checks the words of identifiers in Go files (tools/identifiers.txt). `make lint` calls it.
set -euo pipefail
cd "$(dirname "$0")/.."

git ls-files -z '*.go' ':!*.gen.go' ':!*/testdata/*' | perl -0 -ne '
  BEGIN {
    local $/ = "\n";
    open my $list, "<", "tools/identifiers.txt" or die $!;
    while (<$list>) {
      next if /^#|^\s*$/;
      my ($word, $instead, $folders) = /^(.+?) = (.+?)(?: : (.+))?$/ or die "tools/identifiers.txt:$.: $_";
      $rule{$word} = [$instead, split " ", $folders // ""];
    }
    $words = join "|", map { quotemeta } keys %rule;
  }
  chomp;
  my $path = $_;
  open my $file, "<", $path or die "$path: $!";
  my $code = do { local $/; <$file> };
  my $blank = sub { my $s = shift; $s =~ s/[^\n]//g; $s };
  $code =~ s{(`[^`]*`|"(?:\\.|[^"\\\n])*"|\x27(?:\\.|[^\x27\\\n])+\x27|//[^\n]*|/\*.*?\*/)}{$blank->($1)}gse;
  my $line = 0;
  for (split /\n/, $code) {
    $line++;
    for my $name (/[A-Za-z_]\w*/g) {
      $name =~ s{madeForKids}{}gi;   # the term of YouTube
      my $spaced = lc " " . join(" ", $name =~ /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) . " ";
      while ($spaced =~ / ($words)(?= )/g) {
        my ($instead, @folders) = @{$rule{$1}};
        next if grep { index($path, $_) == 0 } @folders;
        print "$path:$line: $name: \"$1\" is \"$instead\" in identifiers\n";
        $found++;
      }
    }
  }
  END { exit($found ? 1 : 0) }
'
