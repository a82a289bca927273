package dev.safeconduct.config;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Says what is wrong with a file: the message of some errors is only its name. */
public final class FileFault {
  private FileFault() {}

  /** Returns the message, with the reason where the error has only the name. */
  public static String shown(Throwable fault) {
    return switch (fault) {
      case NoSuchFileException e -> e.getMessage() + ": there is no such file or folder";
      case FileAlreadyExistsException e -> e.getMessage() + " exists already";
      case NotDirectoryException e -> e.getMessage() + " is not a folder";
      case AccessDeniedException e -> e.getMessage() + ": access is denied";
      default -> String.valueOf(fault.getMessage());
    };
  }
}
