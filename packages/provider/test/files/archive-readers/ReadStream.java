import java.io.BufferedInputStream;
import java.io.PrintStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Reads a ZIP archive from standard input, and prints a line for each file: name, bytes, SHA-256, seconds since 1970. */
public class ReadStream {
  public static void main(String[] arguments) throws Exception {
    PrintStream out = new PrintStream(System.out, false, "UTF-8");
    try (ZipInputStream zip = new ZipInputStream(new BufferedInputStream(System.in))) {
      byte[] buffer = new byte[65536];
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        MessageDigest hash = MessageDigest.getInstance("SHA-256");
        long size = 0;
        for (int count = zip.read(buffer); count >= 0; count = zip.read(buffer)) {
          hash.update(buffer, 0, count);
          size += count;
        }
        long time = entry.getLastModifiedTime().toMillis() / 1000;
        out.println(entry.getName() + "\t" + size + "\t" + HexFormat.of().formatHex(hash.digest()) + "\t" + time);
      }
    }
    out.flush();
  }
}
