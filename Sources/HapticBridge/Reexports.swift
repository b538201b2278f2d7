// The module that `import HapticBridge` makes available in addition to this module's own names.

// `import CoreHaptics` alone gives an app `TimeInterval`, `URL`, `Data` and `NSObject`, and code
// that was written for it has no other import. All of Foundation is exported, because Essentials
// has no `NSObject`.
@_exported import Foundation
