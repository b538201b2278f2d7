// PackageFolder: the location of this package.

import Foundation

/// The folder of this package.
public enum PackageFolder {
    public static let url = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}
