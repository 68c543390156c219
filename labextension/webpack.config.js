module.exports = {
  // css-loader would keep the comments and the indentation of the styles.
  module: {
    rules: [
      {
        test: /\.css$/,
        enforce: 'pre',
        loader: 'builtin:lightningcss-loader',
        options: { minify: true }
      }
    ]
  },
  // Modules that several lazily loaded parts share get chunks of their own from 800 bytes on. With the
  // default, 20 kB, each part would have its own copy. Smaller chunks cost more than they save. Parts that
  // are opened together share a chunk by name: what they have in common is compressed once.
  optimization: { splitChunks: { chunks: 'async', minSize: 800 } }
};
