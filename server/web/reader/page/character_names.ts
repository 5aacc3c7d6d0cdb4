/**
 * Named character references of the HTML standard: the names that mean the same, and their code points. A name with
 * `*` counts without a semicolon too.
 */
export const characterNames =
  "Tab=9 NewLine=a excl=21 QUOT*,quot*=22 num=23 dollar=24 percnt=25 AMP*,amp*=26 apos=27 lpar=28 rpar=29 " +
  "ast,midast=2a plus=2b comma=2c period=2e sol=2f colon=3a semi=3b LT*,lt*=3c nvlt=3c.20d2 equals=3d " +
  "bne=3d.20e5 GT*,gt*=3e nvgt=3e.20d2 quest=3f commat=40 lbrack,lsqb=5b bsol=5c rbrack,rsqb=5d Hat=5e " +
  "UnderBar,lowbar=5f DiacriticalGrave,grave=60 fjlig=66.6a lbrace,lcub=7b VerticalLine,verbar,vert=7c " +
  "rbrace,rcub=7d NonBreakingSpace,nbsp*=a0 iexcl*=a1 cent*=a2 pound*=a3 curren*=a4 yen*=a5 brvbar*=a6 " +
  "sect*=a7 Dot,DoubleDot,die,uml*=a8 COPY*,copy*=a9 ordf*=aa laquo*=ab not*=ac shy*=ad " +
  "REG*,circledR,reg*=ae macr*,strns=af deg*=b0 PlusMinus,plusmn*,pm=b1 sup2*=b2 sup3*=b3 " +
  "DiacriticalAcute,acute*=b4 micro*=b5 para*=b6 CenterDot,centerdot,middot*=b7 Cedilla,cedil*=b8 sup1*=b9 " +
  "ordm*=ba raquo*=bb frac14*=bc frac12*,half=bd frac34*=be iquest*=bf Agrave*=c0 Aacute*=c1 Acirc*=c2 " +
  "Atilde*=c3 Auml*=c4 Aring*,angst=c5 AElig*=c6 Ccedil*=c7 Egrave*=c8 Eacute*=c9 Ecirc*=ca Euml*=cb " +
  "Igrave*=cc Iacute*=cd Icirc*=ce Iuml*=cf ETH*=d0 Ntilde*=d1 Ograve*=d2 Oacute*=d3 Ocirc*=d4 Otilde*=d5 " +
  "Ouml*=d6 times*=d7 Oslash*=d8 Ugrave*=d9 Uacute*=da Ucirc*=db Uuml*=dc Yacute*=dd THORN*=de szlig*=df " +
  "agrave*=e0 aacute*=e1 acirc*=e2 atilde*=e3 auml*=e4 aring*=e5 aelig*=e6 ccedil*=e7 egrave*=e8 " +
  "eacute*=e9 ecirc*=ea euml*=eb igrave*=ec iacute*=ed icirc*=ee iuml*=ef eth*=f0 ntilde*=f1 ograve*=f2 " +
  "oacute*=f3 ocirc*=f4 otilde*=f5 ouml*=f6 div,divide*=f7 oslash*=f8 ugrave*=f9 uacute*=fa ucirc*=fb " +
  "uuml*=fc yacute*=fd thorn*=fe yuml*=ff Amacr=100 amacr=101 Abreve=102 abreve=103 Aogon=104 aogon=105 " +
  "Cacute=106 cacute=107 Ccirc=108 ccirc=109 Cdot=10a cdot=10b Ccaron=10c ccaron=10d Dcaron=10e dcaron=10f " +
  "Dstrok=110 dstrok=111 Emacr=112 emacr=113 Edot=116 edot=117 Eogon=118 eogon=119 Ecaron=11a ecaron=11b " +
  "Gcirc=11c gcirc=11d Gbreve=11e gbreve=11f Gdot=120 gdot=121 Gcedil=122 Hcirc=124 hcirc=125 Hstrok=126 " +
  "hstrok=127 Itilde=128 itilde=129 Imacr=12a imacr=12b Iogon=12e iogon=12f Idot=130 imath,inodot=131 " +
  "IJlig=132 ijlig=133 Jcirc=134 jcirc=135 Kcedil=136 kcedil=137 kgreen=138 Lacute=139 lacute=13a " +
  "Lcedil=13b lcedil=13c Lcaron=13d lcaron=13e Lmidot=13f lmidot=140 Lstrok=141 lstrok=142 Nacute=143 " +
  "nacute=144 Ncedil=145 ncedil=146 Ncaron=147 ncaron=148 napos=149 ENG=14a eng=14b Omacr=14c omacr=14d " +
  "Odblac=150 odblac=151 OElig=152 oelig=153 Racute=154 racute=155 Rcedil=156 rcedil=157 Rcaron=158 " +
  "rcaron=159 Sacute=15a sacute=15b Scirc=15c scirc=15d Scedil=15e scedil=15f Scaron=160 scaron=161 " +
  "Tcedil=162 tcedil=163 Tcaron=164 tcaron=165 Tstrok=166 tstrok=167 Utilde=168 utilde=169 Umacr=16a " +
  "umacr=16b Ubreve=16c ubreve=16d Uring=16e uring=16f Udblac=170 udblac=171 Uogon=172 uogon=173 Wcirc=174 " +
  "wcirc=175 Ycirc=176 ycirc=177 Yuml=178 Zacute=179 zacute=17a Zdot=17b zdot=17c Zcaron=17d zcaron=17e " +
  "fnof=192 imped=1b5 gacute=1f5 jmath=237 circ=2c6 Hacek,caron=2c7 Breve,breve=2d8 DiacriticalDot,dot=2d9 " +
  "ring=2da ogon=2db DiacriticalTilde,tilde=2dc DiacriticalDoubleAcute,dblac=2dd DownBreve=311 Alpha=391 " +
  "Beta=392 Gamma=393 Delta=394 Epsilon=395 Zeta=396 Eta=397 Theta=398 Iota=399 Kappa=39a Lambda=39b " +
  "Mu=39c Nu=39d Xi=39e Omicron=39f Pi=3a0 Rho=3a1 Sigma=3a3 Tau=3a4 Upsilon=3a5 Phi=3a6 Chi=3a7 Psi=3a8 " +
  "Omega,ohm=3a9 alpha=3b1 beta=3b2 gamma=3b3 delta=3b4 epsi,epsilon=3b5 zeta=3b6 eta=3b7 theta=3b8 " +
  "iota=3b9 kappa=3ba lambda=3bb mu=3bc nu=3bd xi=3be omicron=3bf pi=3c0 rho=3c1 " +
  "sigmaf,sigmav,varsigma=3c2 sigma=3c3 tau=3c4 upsi,upsilon=3c5 phi=3c6 chi=3c7 psi=3c8 omega=3c9 " +
  "thetasym,thetav,vartheta=3d1 Upsi,upsih=3d2 phiv,straightphi,varphi=3d5 piv,varpi=3d6 Gammad=3dc " +
  "digamma,gammad=3dd kappav,varkappa=3f0 rhov,varrho=3f1 epsiv,straightepsilon,varepsilon=3f5 " +
  "backepsilon,bepsi=3f6 IOcy=401 DJcy=402 GJcy=403 Jukcy=404 DScy=405 Iukcy=406 YIcy=407 Jsercy=408 " +
  "LJcy=409 NJcy=40a TSHcy=40b KJcy=40c Ubrcy=40e DZcy=40f Acy=410 Bcy=411 Vcy=412 Gcy=413 Dcy=414 " +
  "IEcy=415 ZHcy=416 Zcy=417 Icy=418 Jcy=419 Kcy=41a Lcy=41b Mcy=41c Ncy=41d Ocy=41e Pcy=41f Rcy=420 " +
  "Scy=421 Tcy=422 Ucy=423 Fcy=424 KHcy=425 TScy=426 CHcy=427 SHcy=428 SHCHcy=429 HARDcy=42a Ycy=42b " +
  "SOFTcy=42c Ecy=42d YUcy=42e YAcy=42f acy=430 bcy=431 vcy=432 gcy=433 dcy=434 iecy=435 zhcy=436 zcy=437 " +
  "icy=438 jcy=439 kcy=43a lcy=43b mcy=43c ncy=43d ocy=43e pcy=43f rcy=440 scy=441 tcy=442 ucy=443 fcy=444 " +
  "khcy=445 tscy=446 chcy=447 shcy=448 shchcy=449 hardcy=44a ycy=44b softcy=44c ecy=44d yucy=44e yacy=44f " +
  "iocy=451 djcy=452 gjcy=453 jukcy=454 dscy=455 iukcy=456 yicy=457 jsercy=458 ljcy=459 njcy=45a tshcy=45b " +
  "kjcy=45c ubrcy=45e dzcy=45f ensp=2002 emsp=2003 emsp13=2004 emsp14=2005 numsp=2007 puncsp=2008 " +
  "ThinSpace,thinsp=2009 VeryThinSpace,hairsp=200a " +
  "NegativeMediumSpace,NegativeThickSpace,NegativeThinSpace,NegativeVeryThinSpace,ZeroWidthSpace=200b " +
  "zwnj=200c zwj=200d lrm=200e rlm=200f dash,hyphen=2010 ndash=2013 mdash=2014 horbar=2015 " +
  "Verbar,Vert=2016 OpenCurlyQuote,lsquo=2018 CloseCurlyQuote,rsquo,rsquor=2019 lsquor,sbquo=201a " +
  "OpenCurlyDoubleQuote,ldquo=201c CloseCurlyDoubleQuote,rdquo,rdquor=201d bdquo,ldquor=201e dagger=2020 " +
  "Dagger,ddagger=2021 bull,bullet=2022 nldr=2025 hellip,mldr=2026 permil=2030 pertenk=2031 prime=2032 " +
  "Prime=2033 tprime=2034 backprime,bprime=2035 lsaquo=2039 rsaquo=203a OverBar,oline=203e caret=2041 " +
  "hybull=2043 frasl=2044 bsemi=204f qprime=2057 MediumSpace=205f ThickSpace=205f.200a NoBreak=2060 " +
  "ApplyFunction,af=2061 InvisibleTimes,it=2062 InvisibleComma,ic=2063 euro=20ac TripleDot,tdot=20db " +
  "DotDot=20dc Copf,complexes=2102 incare=2105 gscr=210a HilbertSpace,Hscr,hamilt=210b " +
  "Hfr,Poincareplane=210c Hopf,quaternions=210d planckh=210e hbar,hslash,planck,plankv=210f " +
  "Iscr,imagline=2110 Ifr,Im,image,imagpart=2111 Laplacetrf,Lscr,lagran=2112 ell=2113 Nopf,naturals=2115 " +
  "numero=2116 copysr=2117 weierp,wp=2118 Popf,primes=2119 Qopf,rationals=211a Rscr,realine=211b " +
  "Re,Rfr,real,realpart=211c Ropf,reals=211d rx=211e TRADE,trade=2122 Zopf,integers=2124 mho=2127 " +
  "Zfr,zeetrf=2128 iiota=2129 Bernoullis,Bscr,bernou=212c Cayleys,Cfr=212d escr=212f Escr,expectation=2130 " +
  "Fouriertrf,Fscr=2131 Mellintrf,Mscr,phmmat=2133 order,orderof,oscr=2134 alefsym,aleph=2135 beth=2136 " +
  "gimel=2137 daleth=2138 CapitalDifferentialD,DD=2145 DifferentialD,dd=2146 " +
  "ExponentialE,ee,exponentiale=2147 ImaginaryI,ii=2148 frac13=2153 frac23=2154 frac15=2155 frac25=2156 " +
  "frac35=2157 frac45=2158 frac16=2159 frac56=215a frac18=215b frac38=215c frac58=215d frac78=215e " +
  "LeftArrow,ShortLeftArrow,larr,leftarrow,slarr=2190 ShortUpArrow,UpArrow,uarr,uparrow=2191 " +
  "RightArrow,ShortRightArrow,rarr,rightarrow,srarr=2192 DownArrow,ShortDownArrow,darr,downarrow=2193 " +
  "LeftRightArrow,harr,leftrightarrow=2194 UpDownArrow,updownarrow,varr=2195 " +
  "UpperLeftArrow,nwarr,nwarrow=2196 UpperRightArrow,nearr,nearrow=2197 LowerRightArrow,searr,searrow=2198 " +
  "LowerLeftArrow,swarr,swarrow=2199 nlarr,nleftarrow=219a nrarr,nrightarrow=219b " +
  "rarrw,rightsquigarrow=219d nrarrw=219d.338 Larr,twoheadleftarrow=219e Uarr=219f " +
  "Rarr,twoheadrightarrow=21a0 Darr=21a1 larrtl,leftarrowtail=21a2 rarrtl,rightarrowtail=21a3 " +
  "LeftTeeArrow,mapstoleft=21a4 UpTeeArrow,mapstoup=21a5 RightTeeArrow,map,mapsto=21a6 " +
  "DownTeeArrow,mapstodown=21a7 hookleftarrow,larrhk=21a9 hookrightarrow,rarrhk=21aa " +
  "larrlp,looparrowleft=21ab looparrowright,rarrlp=21ac harrw,leftrightsquigarrow=21ad " +
  "nharr,nleftrightarrow=21ae Lsh,lsh=21b0 Rsh,rsh=21b1 ldsh=21b2 rdsh=21b3 crarr=21b5 " +
  "cularr,curvearrowleft=21b6 curarr,curvearrowright=21b7 circlearrowleft,olarr=21ba " +
  "circlearrowright,orarr=21bb LeftVector,leftharpoonup,lharu=21bc " +
  "DownLeftVector,leftharpoondown,lhard=21bd RightUpVector,uharr,upharpoonright=21be " +
  "LeftUpVector,uharl,upharpoonleft=21bf RightVector,rharu,rightharpoonup=21c0 " +
  "DownRightVector,rhard,rightharpoondown=21c1 RightDownVector,dharr,downharpoonright=21c2 " +
  "LeftDownVector,dharl,downharpoonleft=21c3 RightArrowLeftArrow,rightleftarrows,rlarr=21c4 " +
  "UpArrowDownArrow,udarr=21c5 LeftArrowRightArrow,leftrightarrows,lrarr=21c6 leftleftarrows,llarr=21c7 " +
  "upuparrows,uuarr=21c8 rightrightarrows,rrarr=21c9 ddarr,downdownarrows=21ca " +
  "ReverseEquilibrium,leftrightharpoons,lrhar=21cb Equilibrium,rightleftharpoons,rlhar=21cc " +
  "nLeftarrow,nlArr=21cd nLeftrightarrow,nhArr=21ce nRightarrow,nrArr=21cf " +
  "DoubleLeftArrow,Leftarrow,lArr=21d0 DoubleUpArrow,Uparrow,uArr=21d1 " +
  "DoubleRightArrow,Implies,Rightarrow,rArr=21d2 DoubleDownArrow,Downarrow,dArr=21d3 " +
  "DoubleLeftRightArrow,Leftrightarrow,hArr,iff=21d4 DoubleUpDownArrow,Updownarrow,vArr=21d5 nwArr=21d6 " +
  "neArr=21d7 seArr=21d8 swArr=21d9 Lleftarrow,lAarr=21da Rrightarrow,rAarr=21db zigrarr=21dd " +
  "LeftArrowBar,larrb=21e4 RightArrowBar,rarrb=21e5 DownArrowUpArrow,duarr=21f5 loarr=21fd roarr=21fe " +
  "hoarr=21ff ForAll,forall=2200 comp,complement=2201 PartialD,part=2202 npart=2202.338 Exists,exist=2203 " +
  "NotExists,nexist,nexists=2204 empty,emptyset,emptyv,varnothing=2205 Del,nabla=2207 " +
  "Element,in,isin,isinv=2208 NotElement,notin,notinva=2209 ReverseElement,SuchThat,ni,niv=220b " +
  "NotReverseElement,notni,notniva=220c Product,prod=220f Coproduct,coprod=2210 Sum,sum=2211 minus=2212 " +
  "MinusPlus,mnplus,mp=2213 dotplus,plusdo=2214 Backslash,setminus,setmn,smallsetminus,ssetmn=2216 " +
  "lowast=2217 SmallCircle,compfn=2218 Sqrt,radic=221a Proportional,prop,propto,varpropto,vprop=221d " +
  "infin=221e angrt=221f ang,angle=2220 nang=2220.20d2 angmsd,measuredangle=2221 angsph=2222 " +
  "VerticalBar,mid,shortmid,smid=2223 NotVerticalBar,nmid,nshortmid,nsmid=2224 " +
  "DoubleVerticalBar,par,parallel,shortparallel,spar=2225 " +
  "NotDoubleVerticalBar,npar,nparallel,nshortparallel,nspar=2226 and,wedge=2227 or,vee=2228 cap=2229 " +
  "caps=2229.fe00 cup=222a cups=222a.fe00 Integral,int=222b Int=222c iiint,tint=222d " +
  "ContourIntegral,conint,oint=222e Conint,DoubleContourIntegral=222f Cconint=2230 cwint=2231 " +
  "ClockwiseContourIntegral,cwconint=2232 CounterClockwiseContourIntegral,awconint=2233 " +
  "Therefore,there4,therefore=2234 Because,becaus,because=2235 ratio=2236 Colon,Proportion=2237 " +
  "dotminus,minusd=2238 mDDot=223a homtht=223b Tilde,sim,thicksim,thksim=223c nvsim=223c.20d2 " +
  "backsim,bsim=223d race=223d.331 ac,mstpos=223e acE=223e.333 acd=223f VerticalTilde,wr,wreath=2240 " +
  "NotTilde,nsim=2241 EqualTilde,eqsim,esim=2242 NotEqualTilde,nesim=2242.338 TildeEqual,sime,simeq=2243 " +
  "NotTildeEqual,nsime,nsimeq=2244 TildeFullEqual,cong=2245 simne=2246 NotTildeFullEqual,ncong=2247 " +
  "TildeTilde,ap,approx,asymp,thickapprox,thkap=2248 NotTildeTilde,nap,napprox=2249 ape,approxeq=224a " +
  "apid=224b napid=224b.338 backcong,bcong=224c CupCap,asympeq=224d nvap=224d.20d2 " +
  "Bumpeq,HumpDownHump,bump=224e NotHumpDownHump,nbump=224e.338 HumpEqual,bumpe,bumpeq=224f " +
  "NotHumpEqual,nbumpe=224f.338 DotEqual,doteq,esdot=2250 nedot=2250.338 doteqdot,eDot=2251 " +
  "efDot,fallingdotseq=2252 erDot,risingdotseq=2253 Assign,colone,coloneq=2254 ecolon,eqcolon=2255 " +
  "ecir,eqcirc=2256 circeq,cire=2257 wedgeq=2259 veeeq=225a triangleq,trie=225c equest,questeq=225f " +
  "NotEqual,ne=2260 Congruent,equiv=2261 bnequiv=2261.20e5 NotCongruent,nequiv=2262 le,leq=2264 " +
  "nvle=2264.20d2 GreaterEqual,ge,geq=2265 nvge=2265.20d2 LessFullEqual,lE,leqq=2266 nlE,nleqq=2266.338 " +
  "GreaterFullEqual,gE,geqq=2267 NotGreaterFullEqual,ngE,ngeqq=2267.338 lnE,lneqq=2268 " +
  "lvertneqq,lvnE=2268.fe00 gnE,gneqq=2269 gvertneqq,gvnE=2269.fe00 Lt,NestedLessLess,ll=226a " +
  "NotLessLess,nLtv=226a.338 nLt=226a.20d2 Gt,NestedGreaterGreater,gg=226b NotGreaterGreater,nGtv=226b.338 " +
  "nGt=226b.20d2 between,twixt=226c NotCupCap=226d NotLess,nless,nlt=226e NotGreater,ngt,ngtr=226f " +
  "NotLessEqual,nle,nleq=2270 NotGreaterEqual,nge,ngeq=2271 LessTilde,lesssim,lsim=2272 " +
  "GreaterTilde,gsim,gtrsim=2273 NotLessTilde,nlsim=2274 NotGreaterTilde,ngsim=2275 " +
  "LessGreater,lessgtr,lg=2276 GreaterLess,gl,gtrless=2277 NotLessGreater,ntlg=2278 " +
  "NotGreaterLess,ntgl=2279 Precedes,pr,prec=227a Succeeds,sc,succ=227b " +
  "PrecedesSlantEqual,prcue,preccurlyeq=227c SucceedsSlantEqual,sccue,succcurlyeq=227d " +
  "PrecedesTilde,precsim,prsim=227e SucceedsTilde,scsim,succsim=227f NotSucceedsTilde=227f.338 " +
  "NotPrecedes,npr,nprec=2280 NotSucceeds,nsc,nsucc=2281 sub,subset=2282 NotSubset,nsubset,vnsub=2282.20d2 " +
  "Superset,sup,supset=2283 NotSuperset,nsupset,vnsup=2283.20d2 nsub=2284 nsup=2285 " +
  "SubsetEqual,sube,subseteq=2286 SupersetEqual,supe,supseteq=2287 NotSubsetEqual,nsube,nsubseteq=2288 " +
  "NotSupersetEqual,nsupe,nsupseteq=2289 subne,subsetneq=228a varsubsetneq,vsubne=228a.fe00 " +
  "supne,supsetneq=228b varsupsetneq,vsupne=228b.fe00 cupdot=228d UnionPlus,uplus=228e " +
  "SquareSubset,sqsub,sqsubset=228f NotSquareSubset=228f.338 SquareSuperset,sqsup,sqsupset=2290 " +
  "NotSquareSuperset=2290.338 SquareSubsetEqual,sqsube,sqsubseteq=2291 " +
  "SquareSupersetEqual,sqsupe,sqsupseteq=2292 SquareIntersection,sqcap=2293 sqcaps=2293.fe00 " +
  "SquareUnion,sqcup=2294 sqcups=2294.fe00 CirclePlus,oplus=2295 CircleMinus,ominus=2296 " +
  "CircleTimes,otimes=2297 osol=2298 CircleDot,odot=2299 circledcirc,ocir=229a circledast,oast=229b " +
  "circleddash,odash=229d boxplus,plusb=229e boxminus,minusb=229f boxtimes,timesb=22a0 " +
  "dotsquare,sdotb=22a1 RightTee,vdash=22a2 LeftTee,dashv=22a3 DownTee,top=22a4 UpTee,bot,bottom,perp=22a5 " +
  "models=22a7 DoubleRightTee,vDash=22a8 Vdash=22a9 Vvdash=22aa VDash=22ab nvdash=22ac nvDash=22ad " +
  "nVdash=22ae nVDash=22af prurel=22b0 LeftTriangle,vartriangleleft,vltri=22b2 " +
  "RightTriangle,vartriangleright,vrtri=22b3 LeftTriangleEqual,ltrie,trianglelefteq=22b4 nvltrie=22b4.20d2 " +
  "RightTriangleEqual,rtrie,trianglerighteq=22b5 nvrtrie=22b5.20d2 origof=22b6 imof=22b7 " +
  "multimap,mumap=22b8 hercon=22b9 intcal,intercal=22ba veebar=22bb barvee=22bd angrtvb=22be lrtri=22bf " +
  "Wedge,bigwedge,xwedge=22c0 Vee,bigvee,xvee=22c1 Intersection,bigcap,xcap=22c2 Union,bigcup,xcup=22c3 " +
  "Diamond,diam,diamond=22c4 sdot=22c5 Star,sstarf=22c6 divideontimes,divonx=22c7 bowtie=22c8 ltimes=22c9 " +
  "rtimes=22ca leftthreetimes,lthree=22cb rightthreetimes,rthree=22cc backsimeq,bsime=22cd " +
  "curlyvee,cuvee=22ce curlywedge,cuwed=22cf Sub,Subset=22d0 Sup,Supset=22d1 Cap=22d2 Cup=22d3 " +
  "fork,pitchfork=22d4 epar=22d5 lessdot,ltdot=22d6 gtdot,gtrdot=22d7 Ll=22d8 nLl=22d8.338 Gg,ggg=22d9 " +
  "nGg=22d9.338 LessEqualGreater,leg,lesseqgtr=22da lesg=22da.fe00 GreaterEqualLess,gel,gtreqless=22db " +
  "gesl=22db.fe00 cuepr,curlyeqprec=22de cuesc,curlyeqsucc=22df NotPrecedesSlantEqual,nprcue=22e0 " +
  "NotSucceedsSlantEqual,nsccue=22e1 NotSquareSubsetEqual,nsqsube=22e2 NotSquareSupersetEqual,nsqsupe=22e3 " +
  "lnsim=22e6 gnsim=22e7 precnsim,prnsim=22e8 scnsim,succnsim=22e9 " +
  "NotLeftTriangle,nltri,ntriangleleft=22ea NotRightTriangle,nrtri,ntriangleright=22eb " +
  "NotLeftTriangleEqual,nltrie,ntrianglelefteq=22ec NotRightTriangleEqual,nrtrie,ntrianglerighteq=22ed " +
  "vellip=22ee ctdot=22ef utdot=22f0 dtdot=22f1 disin=22f2 isinsv=22f3 isins=22f4 isindot=22f5 " +
  "notindot=22f5.338 notinvc=22f6 notinvb=22f7 isinE=22f9 notinE=22f9.338 nisd=22fa xnis=22fb nis=22fc " +
  "notnivc=22fd notnivb=22fe barwed,barwedge=2305 Barwed,doublebarwedge=2306 LeftCeiling,lceil=2308 " +
  "RightCeiling,rceil=2309 LeftFloor,lfloor=230a RightFloor,rfloor=230b drcrop=230c dlcrop=230d " +
  "urcrop=230e ulcrop=230f bnot=2310 profline=2312 profsurf=2313 telrec=2315 target=2316 " +
  "ulcorn,ulcorner=231c urcorn,urcorner=231d dlcorn,llcorner=231e drcorn,lrcorner=231f frown,sfrown=2322 " +
  "smile,ssmile=2323 cylcty=232d profalar=232e topbot=2336 ovbar=233d solbar=233f angzarr=237c " +
  "lmoust,lmoustache=23b0 rmoust,rmoustache=23b1 OverBracket,tbrk=23b4 UnderBracket,bbrk=23b5 " +
  "bbrktbrk=23b6 OverParenthesis=23dc UnderParenthesis=23dd OverBrace=23de UnderBrace=23df trpezium=23e2 " +
  "elinters=23e7 blank=2423 circledS,oS=24c8 HorizontalLine,boxh=2500 boxv=2502 boxdr=250c boxdl=2510 " +
  "boxur=2514 boxul=2518 boxvr=251c boxvl=2524 boxhd=252c boxhu=2534 boxvh=253c boxH=2550 boxV=2551 " +
  "boxdR=2552 boxDr=2553 boxDR=2554 boxdL=2555 boxDl=2556 boxDL=2557 boxuR=2558 boxUr=2559 boxUR=255a " +
  "boxuL=255b boxUl=255c boxUL=255d boxvR=255e boxVr=255f boxVR=2560 boxvL=2561 boxVl=2562 boxVL=2563 " +
  "boxHd=2564 boxhD=2565 boxHD=2566 boxHu=2567 boxhU=2568 boxHU=2569 boxvH=256a boxVh=256b boxVH=256c " +
  "uhblk=2580 lhblk=2584 block=2588 blk14=2591 blk12=2592 blk34=2593 Square,squ,square=25a1 " +
  "FilledVerySmallSquare,blacksquare,squarf,squf=25aa EmptyVerySmallSquare=25ab rect=25ad marker=25ae " +
  "fltns=25b1 bigtriangleup,xutri=25b3 blacktriangle,utrif=25b4 triangle,utri=25b5 " +
  "blacktriangleright,rtrif=25b8 rtri,triangleright=25b9 bigtriangledown,xdtri=25bd " +
  "blacktriangledown,dtrif=25be dtri,triangledown=25bf blacktriangleleft,ltrif=25c2 ltri,triangleleft=25c3 " +
  "loz,lozenge=25ca cir=25cb tridot=25ec bigcirc,xcirc=25ef ultri=25f8 urtri=25f9 lltri=25fa " +
  "EmptySmallSquare=25fb FilledSmallSquare=25fc bigstar,starf=2605 star=2606 phone=260e female=2640 " +
  "male=2642 spades,spadesuit=2660 clubs,clubsuit=2663 hearts,heartsuit=2665 diamondsuit,diams=2666 " +
  "sung=266a flat=266d natur,natural=266e sharp=266f check,checkmark=2713 cross=2717 malt,maltese=2720 " +
  "sext=2736 VerticalSeparator=2758 lbbrk=2772 rbbrk=2773 bsolhsub=27c8 suphsol=27c9 " +
  "LeftDoubleBracket,lobrk=27e6 RightDoubleBracket,robrk=27e7 LeftAngleBracket,lang,langle=27e8 " +
  "RightAngleBracket,rang,rangle=27e9 Lang=27ea Rang=27eb loang=27ec roang=27ed " +
  "LongLeftArrow,longleftarrow,xlarr=27f5 LongRightArrow,longrightarrow,xrarr=27f6 " +
  "LongLeftRightArrow,longleftrightarrow,xharr=27f7 DoubleLongLeftArrow,Longleftarrow,xlArr=27f8 " +
  "DoubleLongRightArrow,Longrightarrow,xrArr=27f9 DoubleLongLeftRightArrow,Longleftrightarrow,xhArr=27fa " +
  "longmapsto,xmap=27fc dzigrarr=27ff nvlArr=2902 nvrArr=2903 nvHarr=2904 Map=2905 lbarr=290c " +
  "bkarow,rbarr=290d lBarr=290e dbkarow,rBarr=290f RBarr,drbkarow=2910 DDotrahd=2911 UpArrowBar=2912 " +
  "DownArrowBar=2913 Rarrtl=2916 latail=2919 ratail=291a lAtail=291b rAtail=291c larrfs=291d rarrfs=291e " +
  "larrbfs=291f rarrbfs=2920 nwarhk=2923 nearhk=2924 hksearow,searhk=2925 hkswarow,swarhk=2926 nwnear=2927 " +
  "nesear,toea=2928 seswar,tosa=2929 swnwar=292a rarrc=2933 nrarrc=2933.338 cudarrr=2935 ldca=2936 " +
  "rdca=2937 cudarrl=2938 larrpl=2939 curarrm=293c cularrp=293d rarrpl=2945 harrcir=2948 Uarrocir=2949 " +
  "lurdshar=294a ldrushar=294b LeftRightVector=294e RightUpDownVector=294f DownLeftRightVector=2950 " +
  "LeftUpDownVector=2951 LeftVectorBar=2952 RightVectorBar=2953 RightUpVectorBar=2954 " +
  "RightDownVectorBar=2955 DownLeftVectorBar=2956 DownRightVectorBar=2957 LeftUpVectorBar=2958 " +
  "LeftDownVectorBar=2959 LeftTeeVector=295a RightTeeVector=295b RightUpTeeVector=295c " +
  "RightDownTeeVector=295d DownLeftTeeVector=295e DownRightTeeVector=295f LeftUpTeeVector=2960 " +
  "LeftDownTeeVector=2961 lHar=2962 uHar=2963 rHar=2964 dHar=2965 luruhar=2966 ldrdhar=2967 ruluhar=2968 " +
  "rdldhar=2969 lharul=296a llhard=296b rharul=296c lrhard=296d UpEquilibrium,udhar=296e " +
  "ReverseUpEquilibrium,duhar=296f RoundImplies=2970 erarr=2971 simrarr=2972 larrsim=2973 rarrsim=2974 " +
  "rarrap=2975 ltlarr=2976 gtrarr=2978 subrarr=2979 suplarr=297b lfisht=297c rfisht=297d ufisht=297e " +
  "dfisht=297f lopar=2985 ropar=2986 lbrke=298b rbrke=298c lbrkslu=298d rbrksld=298e lbrksld=298f " +
  "rbrkslu=2990 langd=2991 rangd=2992 lparlt=2993 rpargt=2994 gtlPar=2995 ltrPar=2996 vzigzag=299a " +
  "vangrt=299c angrtvbd=299d ange=29a4 range=29a5 dwangle=29a6 uwangle=29a7 angmsdaa=29a8 angmsdab=29a9 " +
  "angmsdac=29aa angmsdad=29ab angmsdae=29ac angmsdaf=29ad angmsdag=29ae angmsdah=29af bemptyv=29b0 " +
  "demptyv=29b1 cemptyv=29b2 raemptyv=29b3 laemptyv=29b4 ohbar=29b5 omid=29b6 opar=29b7 operp=29b9 " +
  "olcross=29bb odsold=29bc olcir=29be ofcir=29bf olt=29c0 ogt=29c1 cirscir=29c2 cirE=29c3 solb=29c4 " +
  "bsolb=29c5 boxbox=29c9 trisb=29cd rtriltri=29ce LeftTriangleBar=29cf NotLeftTriangleBar=29cf.338 " +
  "RightTriangleBar=29d0 NotRightTriangleBar=29d0.338 iinfin=29dc infintie=29dd nvinfin=29de eparsl=29e3 " +
  "smeparsl=29e4 eqvparsl=29e5 blacklozenge,lozf=29eb RuleDelayed=29f4 dsol=29f6 bigodot,xodot=2a00 " +
  "bigoplus,xoplus=2a01 bigotimes,xotime=2a02 biguplus,xuplus=2a04 bigsqcup,xsqcup=2a06 iiiint,qint=2a0c " +
  "fpartint=2a0d cirfnint=2a10 awint=2a11 rppolint=2a12 scpolint=2a13 npolint=2a14 pointint=2a15 " +
  "quatint=2a16 intlarhk=2a17 pluscir=2a22 plusacir=2a23 simplus=2a24 plusdu=2a25 plussim=2a26 " +
  "plustwo=2a27 mcomma=2a29 minusdu=2a2a loplus=2a2d roplus=2a2e Cross=2a2f timesd=2a30 timesbar=2a31 " +
  "smashp=2a33 lotimes=2a34 rotimes=2a35 otimesas=2a36 Otimes=2a37 odiv=2a38 triplus=2a39 triminus=2a3a " +
  "tritime=2a3b intprod,iprod=2a3c amalg=2a3f capdot=2a40 ncup=2a42 ncap=2a43 capand=2a44 cupor=2a45 " +
  "cupcap=2a46 capcup=2a47 cupbrcap=2a48 capbrcup=2a49 cupcup=2a4a capcap=2a4b ccups=2a4c ccaps=2a4d " +
  "ccupssm=2a50 And=2a53 Or=2a54 andand=2a55 oror=2a56 orslope=2a57 andslope=2a58 andv=2a5a orv=2a5b " +
  "andd=2a5c ord=2a5d wedbar=2a5f sdote=2a66 simdot=2a6a congdot=2a6d ncongdot=2a6d.338 easter=2a6e " +
  "apacir=2a6f apE=2a70 napE=2a70.338 eplus=2a71 pluse=2a72 Esim=2a73 Colone=2a74 Equal=2a75 " +
  "ddotseq,eDDot=2a77 equivDD=2a78 ltcir=2a79 gtcir=2a7a ltquest=2a7b gtquest=2a7c " +
  "LessSlantEqual,leqslant,les=2a7d NotLessSlantEqual,nleqslant,nles=2a7d.338 " +
  "GreaterSlantEqual,geqslant,ges=2a7e NotGreaterSlantEqual,ngeqslant,nges=2a7e.338 lesdot=2a7f " +
  "gesdot=2a80 lesdoto=2a81 gesdoto=2a82 lesdotor=2a83 gesdotol=2a84 lap,lessapprox=2a85 " +
  "gap,gtrapprox=2a86 lne,lneq=2a87 gne,gneq=2a88 lnap,lnapprox=2a89 gnap,gnapprox=2a8a " +
  "lEg,lesseqqgtr=2a8b gEl,gtreqqless=2a8c lsime=2a8d gsime=2a8e lsimg=2a8f gsiml=2a90 lgE=2a91 glE=2a92 " +
  "lesges=2a93 gesles=2a94 els,eqslantless=2a95 egs,eqslantgtr=2a96 elsdot=2a97 egsdot=2a98 el=2a99 " +
  "eg=2a9a siml=2a9d simg=2a9e simlE=2a9f simgE=2aa0 LessLess=2aa1 NotNestedLessLess=2aa1.338 " +
  "GreaterGreater=2aa2 NotNestedGreaterGreater=2aa2.338 glj=2aa4 gla=2aa5 ltcc=2aa6 gtcc=2aa7 lescc=2aa8 " +
  "gescc=2aa9 smt=2aaa lat=2aab smte=2aac smtes=2aac.fe00 late=2aad lates=2aad.fe00 bumpE=2aae " +
  "PrecedesEqual,pre,preceq=2aaf NotPrecedesEqual,npre,npreceq=2aaf.338 SucceedsEqual,sce,succeq=2ab0 " +
  "NotSucceedsEqual,nsce,nsucceq=2ab0.338 prE=2ab3 scE=2ab4 precneqq,prnE=2ab5 scnE,succneqq=2ab6 " +
  "prap,precapprox=2ab7 scap,succapprox=2ab8 precnapprox,prnap=2ab9 scnap,succnapprox=2aba Pr=2abb Sc=2abc " +
  "subdot=2abd supdot=2abe subplus=2abf supplus=2ac0 submult=2ac1 supmult=2ac2 subedot=2ac3 supedot=2ac4 " +
  "subE,subseteqq=2ac5 nsubE,nsubseteqq=2ac5.338 supE,supseteqq=2ac6 nsupE,nsupseteqq=2ac6.338 subsim=2ac7 " +
  "supsim=2ac8 subnE,subsetneqq=2acb varsubsetneqq,vsubnE=2acb.fe00 supnE,supsetneqq=2acc " +
  "varsupsetneqq,vsupnE=2acc.fe00 csub=2acf csup=2ad0 csube=2ad1 csupe=2ad2 subsup=2ad3 supsub=2ad4 " +
  "subsub=2ad5 supsup=2ad6 suphsub=2ad7 supdsub=2ad8 forkv=2ad9 topfork=2ada mlcp=2adb " +
  "Dashv,DoubleLeftTee=2ae4 Vdashl=2ae6 Barv=2ae7 vBar=2ae8 vBarv=2ae9 Vbar=2aeb Not=2aec bNot=2aed " +
  "rnmid=2aee cirmid=2aef midcir=2af0 topcir=2af1 nhpar=2af2 parsim=2af3 parsl=2afd nparsl=2afd.20e5 " +
  "fflig=fb00 filig=fb01 fllig=fb02 ffilig=fb03 ffllig=fb04 Ascr=1d49c Cscr=1d49e Dscr=1d49f Gscr=1d4a2 " +
  "Jscr=1d4a5 Kscr=1d4a6 Nscr=1d4a9 Oscr=1d4aa Pscr=1d4ab Qscr=1d4ac Sscr=1d4ae Tscr=1d4af Uscr=1d4b0 " +
  "Vscr=1d4b1 Wscr=1d4b2 Xscr=1d4b3 Yscr=1d4b4 Zscr=1d4b5 ascr=1d4b6 bscr=1d4b7 cscr=1d4b8 dscr=1d4b9 " +
  "fscr=1d4bb hscr=1d4bd iscr=1d4be jscr=1d4bf kscr=1d4c0 lscr=1d4c1 mscr=1d4c2 nscr=1d4c3 pscr=1d4c5 " +
  "qscr=1d4c6 rscr=1d4c7 sscr=1d4c8 tscr=1d4c9 uscr=1d4ca vscr=1d4cb wscr=1d4cc xscr=1d4cd yscr=1d4ce " +
  "zscr=1d4cf Afr=1d504 Bfr=1d505 Dfr=1d507 Efr=1d508 Ffr=1d509 Gfr=1d50a Jfr=1d50d Kfr=1d50e Lfr=1d50f " +
  "Mfr=1d510 Nfr=1d511 Ofr=1d512 Pfr=1d513 Qfr=1d514 Sfr=1d516 Tfr=1d517 Ufr=1d518 Vfr=1d519 Wfr=1d51a " +
  "Xfr=1d51b Yfr=1d51c afr=1d51e bfr=1d51f cfr=1d520 dfr=1d521 efr=1d522 ffr=1d523 gfr=1d524 hfr=1d525 " +
  "ifr=1d526 jfr=1d527 kfr=1d528 lfr=1d529 mfr=1d52a nfr=1d52b ofr=1d52c pfr=1d52d qfr=1d52e rfr=1d52f " +
  "sfr=1d530 tfr=1d531 ufr=1d532 vfr=1d533 wfr=1d534 xfr=1d535 yfr=1d536 zfr=1d537 Aopf=1d538 Bopf=1d539 " +
  "Dopf=1d53b Eopf=1d53c Fopf=1d53d Gopf=1d53e Iopf=1d540 Jopf=1d541 Kopf=1d542 Lopf=1d543 Mopf=1d544 " +
  "Oopf=1d546 Sopf=1d54a Topf=1d54b Uopf=1d54c Vopf=1d54d Wopf=1d54e Xopf=1d54f Yopf=1d550 aopf=1d552 " +
  "bopf=1d553 copf=1d554 dopf=1d555 eopf=1d556 fopf=1d557 gopf=1d558 hopf=1d559 iopf=1d55a jopf=1d55b " +
  "kopf=1d55c lopf=1d55d mopf=1d55e nopf=1d55f oopf=1d560 popf=1d561 qopf=1d562 ropf=1d563 sopf=1d564 " +
  "topf=1d565 uopf=1d566 vopf=1d567 wopf=1d568 xopf=1d569 yopf=1d56a zopf=1d56b";
