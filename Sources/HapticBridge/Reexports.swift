// What `import HapticBridge` brings beside this module's own names.

// `import CoreHaptics` alone gives an app `TimeInterval`, `URL`, `Data` and `NSObject`, and code that
// was written for it has no other import. The whole of Foundation, as Essentials has no `NSObject`.
@_exported import Foundation
