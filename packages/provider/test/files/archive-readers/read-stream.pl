# Reads a ZIP archive from standard input, and prints a line for each file: name, bytes, SHA-256, seconds since 1970.
use strict;
use warnings;
use Digest::SHA;
use IO::Uncompress::Unzip qw($UnzipError);

my $zip = IO::Uncompress::Unzip->new('-', Efs => 0) or die $UnzipError;
my $status = 1;
while ($status > 0) {
  my ($hash, $size, $count, $buffer) = (Digest::SHA->new(256), 0, 0, '');
  my $header = $zip->getHeaderInfo();
  while (($count = $zip->read($buffer)) > 0) {
    $hash->add($buffer);
    $size += $count;
  }
  die $UnzipError if $count < 0;
  print join("\t", $header->{Name}, $size, $hash->hexdigest, $header->{Time}), "\n";
  $status = $zip->nextStream();
}
die $UnzipError if $status < 0;
