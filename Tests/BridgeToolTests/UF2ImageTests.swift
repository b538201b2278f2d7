// Tests that UF2 images are rejected if the boot loader would not accept all of their blocks, and
// that pin numbers are written into the project's own images.

import Testing

@testable import BoardFlashing

@Suite struct UF2ImageTests {
    private func fault(_ change: (inout UF2Sample) -> Void) -> UF2Image.Fault? {
        var sample = UF2Sample(size: 1_024)
        change(&sample)
        return fault(of: sample.bytes)
    }

    private func fault(of bytes: [UInt8]) -> UF2Image.Fault? {
        do {
            _ = try UF2Image(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test func aWholeImageIsTaken() throws {
        let sample = UF2Sample(size: 4_096)
        let image = try UF2Image(sample.bytes)
        #expect(image.size == 4_096 && image.bytes == sample.bytes)
    }

    @Test func whatTheBootLoaderWouldNotTakeIsRefused() {
        #expect(fault { $0.family = 0xE48B_FF59 }?.reason.contains("RP2040") == true)
        #expect(fault { $0.flags = 0 }?.reason.contains("RP2040") == true)
        #expect(fault { $0.flags = 0x2001 }?.reason.contains("RP2040") == true)
        #expect(fault { $0.address = 0x1000_0100 }?.reason.contains("start at a sector") == true)
        #expect(fault { $0.address = 0x2000_0000 }?.reason.contains("outside") == true)
        let last = fault {
            $0 = UF2Sample(size: 4_352)
            $0.address = 0x101F_D000
        }
        #expect(last?.block == 16, "the two sectors of the storage")
        #expect(fault { $0.count = 5 }?.reason == "blocks are missing")
        #expect(fault { $0.count = 3 }?.reason == "blocks are missing")
        #expect(fault { $0.count = .max }?.reason == "blocks are missing")
    }

    @Test func aDamagedOrTruncatedFileIsRefusedWithThePlace() {
        let whole = UF2Sample(size: 1_024).bytes
        #expect(fault(of: [])?.block == 0)
        #expect(fault(of: Array(whole.dropLast(100)))?.reason.contains("truncated") == true)
        #expect(fault(of: Array(whole.dropLast(512)))?.reason == "blocks are missing")
        for (position, block) in [(0, 0), (512 + 4, 1), (1_536 + 508, 3)] {
            var damaged = whole
            damaged[position] ^= 1
            #expect(
                fault(of: damaged)
                    == UF2Image.Fault(block: block, reason: "not a block of a UF2 file"))
        }
        let swapped = Array(whole[512..<1_024] + whole[..<512] + whole[1_024...])
        #expect(fault(of: swapped)?.reason.contains("consecutive") == true)
    }

    @Test func contentIsReplacedInPlaceAndNowhereElse() throws {
        var sample = UF2Sample(size: 1_024)
        sample.data.replaceSubrange(512..<516, with: Array("pins".utf8))
        var image = try UF2Image(sample.bytes)
        let block = Array("pins".utf8) + [1, 2, 3]
        let isReplaced = image.replace(Array("pins".utf8), at: 0x1000_0200, with: block)
        #expect(isReplaced)
        sample.data.replaceSubrange(512..<519, with: block)
        #expect(image.bytes == sample.bytes)
        for other in [0x1000_0100, 0x1000_0400] as [UInt32] {
            let isReplaced = image.replace(Array("pins".utf8), at: other, with: block)
            #expect(!isReplaced, "another address, and after the end")
        }
        #expect(image.bytes == sample.bytes)
    }
}
