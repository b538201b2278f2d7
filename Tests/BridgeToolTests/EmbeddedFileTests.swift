// Tests that the tool contains all files that it must embed, and that each is identical to the file
// in the repository.

import Foundation
import TestSupport
import Testing

@testable import BoardFlashing
@testable import Studio

@Suite struct EmbeddedFileTests {
    /// Checks all files for the browser, except the declarations of messages and the compiler
    /// settings, which the tool does not serve.
    @Test func thePageHasAllFilesThatABrowserReads() throws {
        let folder = PackageFolder.url.appending(path: "Sources/Studio/Page")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            [".js", ".css", ".html"].contains(where: $0.hasSuffix)
        }
        #expect(names.count > 10 && StudioPage.files.keys.sorted() == names.sorted())
        for (name, bytes) in StudioPage.files {
            #expect(try Data(bytes) == Data(contentsOf: folder.appending(path: name)), "\(name)")
        }
    }

    @Test(arguments: [
        ("atmega328p/atmega328p.hex", FirmwareImage.one),
        ("atmega328p/atmega328p-several.hex", FirmwareImage.several),
        ("rp2040/rp2040.uf2", FirmwareImage.uf2),
    ])
    func imagesAreThoseThatAreCommitted(path: String, image: [UInt8]) throws {
        let file = PackageFolder.url.appending(path: "Firmware/boards/\(path)")
        #expect(try Data(image) == Data(contentsOf: file))
    }
}
